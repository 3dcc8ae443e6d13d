"""The dialects in the order in which they are asked, and the one function that uses them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.dialects import event_messages
from spanloom.core.dialects.agent_framework import AgentFramework
from spanloom.core.dialects.autogen import AutoGen
from spanloom.core.dialects.base import Dialect, TraceView
from spanloom.core.dialects.cache import ByteCache
from spanloom.core.dialects.cozeloop.dialect import CozeLoop
from spanloom.core.dialects.eino.cozeloop import EinoCozeLoop
from spanloom.core.dialects.eino.dialect import Eino
from spanloom.core.dialects.eino.langfuse import EinoLangfuse
from spanloom.core.dialects.failures import find_error, has_error_attribute
from spanloom.core.dialects.fallback import Fallback
from spanloom.core.dialects.google_adk import GoogleADK
from spanloom.core.dialects.haystack import Haystack
from spanloom.core.dialects.langfuse.dialect import Langfuse
from spanloom.core.dialects.langsmith import LangSmith
from spanloom.core.dialects.litellm import LiteLLM
from spanloom.core.dialects.logfire.dialect import Logfire
from spanloom.core.dialects.logfire.openai_agents import LogfireOpenAIAgents
from spanloom.core.dialects.messages.steps import show_texts
from spanloom.core.dialects.mlflow.dialect import MLflow
from spanloom.core.dialects.openinference.agno import OpenInferenceAgno
from spanloom.core.dialects.openinference.autogen import OpenInferenceAutoGen
from spanloom.core.dialects.openinference.crewai import OpenInferenceCrewAI
from spanloom.core.dialects.openinference.dialect import OpenInference
from spanloom.core.dialects.openinference.dspy import OpenInferenceDSPy
from spanloom.core.dialects.openinference.google_adk import OpenInferenceGoogleADK
from spanloom.core.dialects.openinference.haystack import OpenInferenceHaystack
from spanloom.core.dialects.openinference.llamaindex import OpenInferenceLlamaIndex
from spanloom.core.dialects.openinference.mastra import OpenInferenceMastra
from spanloom.core.dialects.openinference.openai_agents import OpenInferenceOpenAIAgents
from spanloom.core.dialects.openinference.overlay import OpenInferenceOverlay
from spanloom.core.dialects.openinference.smolagents import OpenInferenceSmolagents
from spanloom.core.dialects.openlit.dialect import OpenLIT
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.dialects.pydantic_ai import PydanticAI
from spanloom.core.dialects.signature import Signature, as_span, read_signature
from spanloom.core.dialects.spring_ai import SpringAI
from spanloom.core.dialects.strands import Strands
from spanloom.core.dialects.traceloop.agents import TraceloopAgents
from spanloom.core.dialects.traceloop.agno import TraceloopAgno
from spanloom.core.dialects.traceloop.crewai import TraceloopCrewAI
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.dialects.traceloop.js import TraceloopJS
from spanloom.core.dialects.traceloop.llamaindex import TraceloopLlamaIndex
from spanloom.core.dialects.traceloop.mcp import TraceloopMCP
from spanloom.core.dialects.traceloop.sdk import TraceloopSDK
from spanloom.core.dialects.vercel_ai.dialect import VercelAI
from spanloom.core.dialects.vercel_ai.genai import VercelAIGenAI
from spanloom.core.model.normalized import Facts, NormalizedSpan
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

DIALECTS: Sequence[Dialect] = (
    Eino(),
    EinoCozeLoop(),
    EinoLangfuse(),
    CozeLoop(),
    OpenInferenceOpenAIAgents(),
    OpenInferenceCrewAI(),
    OpenInferenceLlamaIndex(),
    OpenInferenceSmolagents(),
    OpenInferenceAgno(),
    OpenInferenceDSPy(),
    OpenInferenceHaystack(),
    OpenInferenceAutoGen(),
    OpenInferenceGoogleADK(),
    OpenInferenceMastra(),
    OpenInferenceOverlay(),
    OpenInference(),
    Langfuse(),
    LangSmith(),
    Strands(),
    MLflow(),
    OpenLIT(),
    VercelAI(),
    VercelAIGenAI(),
    GoogleADK(),
    AgentFramework(),
    AutoGen(),
    SpringAI(),
    PydanticAI(),
    LogfireOpenAIAgents(),
    Logfire(),
    TraceloopSDK(),
    TraceloopAgents(),
    TraceloopCrewAI(),
    TraceloopLlamaIndex(),
    TraceloopAgno(),
    TraceloopMCP(),
    Haystack(),
    TraceloopJS(),
    LiteLLM(),
    Traceloop(),
    OtelGenAI(),
    Fallback(),
)
"""A convention with marks of its own comes before one whose attributes it borrows.

Strands comes before MLflow, which adds its marks to Strands' spans. Traceloop's marks come late:
its SDK writes some of them on every span of the process, and LiteLLM's callback one on each of its
own.
"""

if len({dialect.id for dialect in DIALECTS}) != len(DIALECTS):
    raise ImportError("two dialects have the same id")


def normalize(tree: SpanTree) -> Sequence[NormalizedSpan]:
    """Give every span of the tree, in its order, in the common words."""
    view = TraceView(tree)
    return [normalize_span(span, view, tree.root.span_id) for span in tree.spans]


class Reading(NamedTuple):
    """What spans of one signature have in common."""

    dialect: Dialect
    may_fail: bool
    """Whether they have an attribute that tells a failure."""


def find_dialect(span: Span) -> Dialect:
    """Give the first dialect that recognises the span; the last one takes every span."""
    return _find_reading(span).dialect


def _find_reading(span: Span) -> Reading:
    signature = read_signature(span)
    return _readings.get(signature) or _readings.keep(
        signature, _find(signature), _bytes_of(signature)
    )


CACHE_BYTES = 8 * 2**20
_readings: ByteCache[Signature, Reading] = ByteCache(CACHE_BYTES)


def _find(signature: Signature) -> Reading:
    span = as_span(signature)
    dialect = next(dialect for dialect in DIALECTS if dialect.recognises(span))
    return Reading(dialect, has_error_attribute(span))


def _bytes_of(signature: Signature) -> int:
    scope_name, word, keys, values = signature
    texts = (scope_name, word, *keys, *[value for _, value in values])
    return sum(map(sys.getsizeof, texts)) + 8 * len(keys) + 500


def normalize_span(span: Span, view: TraceView, root_id: str) -> NormalizedSpan:
    """Classify one span; describe it if it is a step, a second report of one, or the root."""
    dialect, may_fail = _find_reading(span)
    said = dialect.classify(span, view)
    matters = said.kind is not Kind.OTHER or said.part_of or span.span_id == root_id
    facts = dialect.describe(span, said.kind) if matters else Facts()
    if span.events and matters:
        event_messages.complete(facts, span, said.kind)
    if said.told is not None:
        facts = _told_better(facts, said.told)
    if matters:
        show_texts(facts, said.kind)
    if said.usage is not None:
        facts.usage = facts.usage.completed_by(said.usage) if facts.usage else said.usage
    if said.summed_from is not None and facts.usage is not None:
        facts.usage = facts.usage.since(said.summed_from)
    error = None
    if (may_fail or span.events or span.status_code == "Error") and matters and not said.is_sound:
        error = find_error(span)
    return NormalizedSpan(
        span,
        dialect.id,
        said.kind,
        said.rule,
        said.part_of,
        facts,
        error,
        said.inside,
    )


def _told_better(facts: Facts, told: Facts) -> Facts:
    return replace(
        facts,
        input=told.input or facts.input,
        output=told.output or facts.output,
        tool_name=told.tool_name or facts.tool_name,
        agent_name=told.agent_name or facts.agent_name,
    )
