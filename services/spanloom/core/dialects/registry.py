"""The dialects in the order in which they are tried, and how a span is normalized with them.

Each module in this folder declares its own dialects (``base.py``); this file lists none.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core import dialects
from spanloom.core.conventions.endings import complete_texts
from spanloom.core.conventions.event_messages import complete_from_events
from spanloom.core.conventions.failed_results import (
    find_failed_result,
    find_flagged_result,
    flags_in,
)
from spanloom.core.conventions.failures import (
    find_error,
    has_error_attribute,
    has_raised,
    join_control_flow,
)
from spanloom.core.conventions.genai import has_texts, read_model_call
from spanloom.core.conventions.pauses import find_question, is_cancelled
from spanloom.core.conventions.run_context import ContextKeys, find_context_keys, note_context
from spanloom.core.conventions.scopes import join_scopes
from spanloom.core.conventions.unread_keys import find_unread_keys
from spanloom.core.conventions.usage import read_answered_counts
from spanloom.core.conventions.usage_repair import settle_usage
from spanloom.core.conventions.view import Signature, TraceView, read_signature
from spanloom.core.dialects.base import arrange, collect
from spanloom.core.messages.steps import show_texts
from spanloom.core.model.span import KNOWS_NOTHING, Facts, NormalizedSpan
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.bounds import ByteCache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.dialects.base import Dialect
    from spanloom.core.model.span import Classification, Span, UnreadKeys
    from spanloom.core.model.step import StepError
    from spanloom.core.model.tree import SpanTree

DIALECTS: Sequence[Dialect] = arrange(collect(dialects))
for _dialect in DIALECTS:
    _dialect.prepare(DIALECTS)
_LAST = DIALECTS[-1]
_EVIDENCE = next(dialect for dialect in DIALECTS if dialect.id == "evidence")
_BY_MEANING = frozenset({"otel_genai", "evidence"})
"""Ids of dialects of no single library: texts may be in attributes that they do not read."""
KEYS_WITH_VALUES = tuple(sorted({key for dialect in DIALECTS for key in dialect.keys_with_values}))
# Cached: before Python 3.12, enum members are looked up in Python code.
_MODEL, _TOOL, _OTHER = Kind.MODEL, Kind.TOOL, Kind.OTHER
CONTROL_FLOW = join_control_flow(dialect.control_flow for dialect in DIALECTS)
_SCOPES = join_scopes(
    (scope for dialect in DIALECTS for scope in dialect.scopes),
    (mark for dialect in DIALECTS for mark in dialect.marks),
)


def normalize(tree: SpanTree) -> Sequence[NormalizedSpan]:
    """Return every span of the tree as a normalized span, in the order of ``tree.placed``."""
    view = TraceView(tree)
    return [normalize_span(span, view, tree.root.span_id) for span in tree.placed]


class Reading(NamedTuple):
    """Results that depend only on a span's signature, and are computed once per signature."""

    signature: Signature
    dialect: Dialect
    may_fail: bool
    """Whether an attribute may report a failure."""
    is_foreign: bool
    """Whether the span has none of the attributes that the dialect's library sets."""
    flags: Sequence[str]
    """Attributes that report whether a tool failed."""
    context_keys: ContextKeys
    """Attributes that report the context of the run: service, user, tags and the like."""
    is_scope_known: bool | None
    """Whether a dialect lists the scope; ``None`` for spans without a library's own attributes."""
    unread: UnreadKeys
    """Attributes that are named like counts, messages or a model, but that no code reads."""


def find_dialect(span: Span) -> Dialect:
    """Return the first dialect that recognises the span; the last dialect accepts every span."""
    return _find_reading(span).dialect


def _find_reading(span: Span) -> Reading:
    signature = read_signature(span, KEYS_WITH_VALUES)
    return _readings.get(signature) or _readings.keep(
        signature, _find(signature), _bytes_of(signature)
    )


CACHE_BYTES = 8 * 2**20
_readings: ByteCache[Signature, Reading] = ByteCache(CACHE_BYTES)
_later: ByteCache[Signature, Sequence[Dialect]] = ByteCache(CACHE_BYTES)


def _find(signature: Signature) -> Reading:
    dialect = next(dialect for dialect in DIALECTS if dialect.recognises(signature))
    keys = signature.keys
    return Reading(
        signature,
        dialect,
        has_error_attribute(keys),
        _is_foreign(dialect, signature),
        flags_in(keys),
        find_context_keys(keys),
        _SCOPES.knows(signature),
        find_unread_keys(keys),
    )


def _is_foreign(dialect: Dialect, signature: Signature) -> bool:
    own = tuple(dialect.own_keys)
    return bool(own) and not any(key.startswith(own) for key in signature.keys)


def _pass_on(
    span: Span, view: TraceView, reading: Reading, verdict: Classification
) -> tuple[Dialect, Classification]:
    """Return the first later dialect that classifies the span as a step, with its classification.

    If there is none, or a dialect before it knows that the span is no step, return the first
    dialect with ``verdict``. If the first dialect is ``evidence``, return the fallback instead.
    """
    first = reading.dialect
    for dialect in _find_later(reading):
        known = dialect.classify(span, view)
        if known.kind is not _OTHER:
            return dialect, known
        is_plain = known.rule.endswith(KNOWS_NOTHING) and _is_foreign(dialect, reading.signature)
        if not known.is_unknown and not is_plain and first is not _EVIDENCE:
            break
    return (first, verdict) if first is not _EVIDENCE else (_LAST, _LAST.classify(span, view))


def _find_later(reading: Reading) -> Sequence[Dialect]:
    """Return the dialects after the first one that recognise spans with this signature."""
    signature = reading.signature
    known = _later.get(signature)
    if known is not None:
        return known
    later = DIALECTS[DIALECTS.index(reading.dialect) + 1 :]
    found = [dialect for dialect in later if dialect.recognises(signature)]
    return _later.keep(signature, found, _bytes_of(signature))


def _bytes_of(signature: Signature) -> int:
    scope_name, word, keys, values = signature
    texts = (scope_name, word, *keys, *[value for _, value in values])
    return sum(map(sys.getsizeof, texts)) + 16 * len(keys) + 1_000


def normalize_span(span: Span, view: TraceView, root_id: str) -> NormalizedSpan:
    """Return the span in the common form.

    Its facts are read if it is a step, a further report of a step, or the root.
    """
    reading = _find_reading(span)
    dialect = reading.dialect
    classification = dialect.classify(span, view)
    if classification.is_unknown or (
        reading.is_foreign and classification.rule.endswith(KNOWS_NOTHING)
    ):
        dialect, classification = _pass_on(span, view, reading, classification)
    matters = classification.kind is not _OTHER or classification.part_of or span.span_id == root_id
    facts = dialect.describe(span, classification.kind) if matters else Facts()
    if matters:
        _complete(facts, span, view, classification.kind, dialect)
    if classification.facts is not None:
        facts = _corrected(facts, classification.facts)
    failed = _find_failed(span, reading, facts) if classification.kind is _TOOL else None
    if matters:
        show_texts(facts, classification.kind)
        note_context(facts, span, reading.context_keys)
    if classification.kind is _MODEL or classification.usage is not None:
        settle_usage(facts, span, classification)
    error, question, is_cut = _find_failure(span, reading, classification, failed)
    return NormalizedSpan(
        span,
        dialect.id,
        classification.kind,
        classification.rule,
        classification.part_of,
        facts,
        error,
        classification.inside,
        question,
        classification.question is not None,
        is_cut or classification.is_cancelled,
        reading.is_scope_known,
        reading.unread,
    )


def _find_failure(
    span: Span, reading: Reading, classification: Classification, failed: StepError | None
) -> tuple[StepError | None, str | None, bool]:
    """Return the error, the question to a person, and whether the span was cancelled.

    ``failed`` is the error in a tool's result; the dialect's own error takes precedence.
    """
    error, question, is_cut = None, classification.question, False
    has_failed = span.status_code == "Error" or (bool(span.events) and has_raised(span))
    if (reading.may_fail or has_failed) and not classification.is_sound:
        is_cut = is_cancelled(span)
        error = None if is_cut else find_error(span, CONTROL_FLOW)
        if error is None and question is None:
            question = find_question(span, CONTROL_FLOW)
    if error is None and question is None and not is_cut and not classification.is_sound:
        error = failed
    if classification.error is not None and not is_cut:
        error = classification.error
    return error, question, is_cut


def _complete(facts: Facts, span: Span, view: TraceView, kind: Kind, dialect: Dialect) -> None:
    """Fill in texts from events, attributes of unknown senders, or the parent span."""
    if span.events:
        complete_from_events(facts, span, kind)
    if dialect.id not in _BY_MEANING:
        return
    complete_texts(facts, span.attributes, kind)
    if kind is _MODEL and not (facts.usage and any(facts.usage)):
        facts.usage = read_answered_counts(facts.output)
    if kind is _MODEL and not (facts.input or facts.output):
        _take_texts_around(facts, span, view)


def _take_texts_around(facts: Facts, span: Span, view: TraceView) -> None:
    """Use the parent's texts for a model call without texts, if the parent has no other child.

    Example: LiveKit's ``llm_node`` has the texts of the ``llm_request`` inside it.
    """
    around = view.tree.parent(span)
    if around is None or len(view.tree.children(around)) > 1 or not has_texts(around.attributes):
        return
    if find_dialect(around).classify(around, view).kind is _OTHER:
        found = read_model_call(around.attributes)
        facts.input, facts.output = found.input, found.output
        if facts.first_token_ms is None:
            facts.first_token_ms = found.first_token_ms


def _find_failed(span: Span, reading: Reading, facts: Facts) -> StepError | None:
    """Return the failure that a tool's result or a failure attribute reports, or ``None``."""
    failed = find_failed_result(facts.output)
    if failed is None and reading.flags:
        return find_flagged_result(span.attributes, reading.flags, facts.output)
    return failed


def _corrected(facts: Facts, better: Facts) -> Facts:
    return replace(
        facts,
        input=better.input or facts.input,
        output=better.output or facts.output,
        tool_name=better.tool_name or facts.tool_name,
        agent_name=better.agent_name or facts.agent_name,
        is_resuming=better.is_resuming or facts.is_resuming,
        model=better.model or facts.model,
        first_token_ms=facts.first_token_ms
        if better.first_token_ms is None
        else better.first_token_ms,
        total_tokens=better.total_tokens or facts.total_tokens,
        conversation_id=better.conversation_id or facts.conversation_id,
        metadata={**facts.metadata, **better.metadata} if better.metadata else facts.metadata,
        notes=better.notes or facts.notes,
    )
