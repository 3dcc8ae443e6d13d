"""Names of attributes, metadata and span types in MLflow, and of attributes that Spanloom adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUEST_ID: Final = "mlflow.traceRequestId"
SPAN_TYPE: Final = "mlflow.spanType"
INPUTS: Final = "mlflow.spanInputs"
OUTPUTS: Final = "mlflow.spanOutputs"
USAGE: Final = "mlflow.chat.tokenUsage"
MODEL: Final = "mlflow.llm.model"
PROVIDER: Final = "mlflow.llm.provider"
COST: Final = "mlflow.llm.cost"
CHUNK: Final = "mlflow.chunk.item."
"""Prefix of the names of events that hold chunks of a streamed answer."""

SCHEMA: Final = "mlflow.trace_schema.version"
SESSION: Final = "mlflow.trace.session"
USER: Final = "mlflow.trace.user"
TRACE_USAGE: Final = "mlflow.trace.tokenUsage"
TRACE_COST: Final = "mlflow.trace.cost"
SIZES: Final = ("mlflow.trace.sizeStats", "mlflow.trace.sizeBytes")
TRACE_NAME: Final = "mlflow.traceName"
MAX_METADATA: Final = 250
"""Maximum length, in characters, of a key or value in ``trace_metadata``; MLflow cuts the rest."""
MAX_TAG: Final = 4_096
MAX_PREVIEW: Final = 1_000

STEP: Final = "spanloom.step"
"""Attribute with members of a step for which MLflow has no attribute; a reader restores them."""
RUN: Final = "spanloom.run"
"""Attribute of the root span with members of the run; a reader restores them."""
SOURCE_ID: Final = "source_id"
LOCATION: Final = "mlflow_location"
EXPERIMENT: Final = "mlflow_experiment_id"
STATE: Final = "mlflow_state"
REQUEST: Final = "client_request_id"
EXPECTATIONS: Final = "expectations"
"""Key in a run's metadata for an evaluation set's expectations, as a JSON object."""
TOOL_KIND: Final = "tool_kind"
RETRIEVAL: Final = "retrieval"

TYPES: Mapping[str, str] = {
    StepType.AGENT: "AGENT",
    StepType.MODEL: "CHAT_MODEL",
    StepType.TOOL: "TOOL",
    StepType.GRAPH: "CHAIN",
}
"""MLflow's span type for each type of step; a root of another type is ``UNKNOWN``."""
UNKNOWN: Final = "UNKNOWN"
TYPES_OF_TOOLS: Mapping[str, str] = {
    RETRIEVAL: "RETRIEVER",
    "embedding": "EMBEDDING",
    "reranking": "RERANKER",
}
KINDS_OF_TOOLS: Mapping[str, str] = {theirs: ours for ours, theirs in TYPES_OF_TOOLS.items()}
KINDS: Mapping[str, Kind] = {
    "AGENT": Kind.AGENT,
    "CHAT_MODEL": Kind.MODEL,
    "LLM": Kind.MODEL,
    "TOOL": Kind.TOOL,
    **dict.fromkeys(KINDS_OF_TOOLS, Kind.TOOL),
}
"""The kind of step for each span type; other types are graphs, except for a root without a type."""
