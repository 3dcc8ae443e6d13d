"""Facts of captured runs that no span reports and no extractor can know, keyed by measure.

An entry is for a run or all runs of a folder, and states the reason: a gap in the telemetry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tests.support.ground_truth import Capture

WITHOUT_DETAILS = frozenset(
    {
        "eino-apmplus",
        "mlflow-genai",
        "openlit",
        "other-spring-ai",
        "other-spring-ai-1",
        "other-strands",
        "other-vercel-ai-7",
        "otel-openai-v2",
        "pair-traceloop-openlit",
        "traceloop",
        "traceloop-sdk",
        "traceloop-0.40",
    },
)
"""Dialects that do not report reasoning or cached tokens (some report them partially)."""
UNREPORTED_DETAILS = frozenset(
    {
        # Only an agent's state reports these details, if the application has a span around all.
        "js-traceloop/bare_llm",
        "js-traceloop/graph_nodes",
        "js-traceloop/react_tools_flat",
        "js-traceloop/stream_llm",
        "other-crewai-openinference/crew_only",  # no model calls without the client's spans
        "other-crewai-traceloop/stream_agent",  # streamed calls of the client have no reasoning
        "other-llamaindex-traceloop/react_tools_openai_like",  # no span of the client
        "other-openllmetry-sdks/stream_agent",
        "other-sdks-mlflow/dspy_chain_of_thought",  # DSPy's sum has no details
        "other-sdks-mlflow/strands_subagent",  # no reasoning, as without MLflow
    },
)
"""Single runs in which a dialect omits what it reports elsewhere."""
UNREPORTED_FAILURES = frozenset(
    {
        "eino-apmplus/stream_broken",  # a broken stream ends like a complete one
        "eino-langfuse/stream_broken",
        "otel-genai/node_retry_policy",  # nodes are not spans
        "other-agno-traceloop/tool_error",
        "other-crewai-traceloop/tool_error_handled",
        "other-haystack-traceloop/llm_error_500",
        "other-llamaindex-mlflow/llm_error_500",
        "other-llamaindex-openinference/llm_error_500",
        "other-llamaindex-traceloop/tool_error",
        "other-spring-ai-1/tool_error_handled",  # the tool returns the error's text
        "other-spring-ai/tool_error_handled",
    },
)
"""Runs with a failure that no span reports."""
UNREPORTED_CANCELLATIONS = frozenset(
    {
        "langfuse/cancelled_model",  # an error without type and text, like a TimeoutError's
        "langfuse/race_cancelled",
        "openlit/cancelled_stream",  # its spans end like those of a success
        "openlit/cancelled_tool",
    },
)
"""Runs that were stopped from outside, which no span reports."""
CAUGHT = frozenset({"js-langfuse/llm_error_500"})
"""Runs whose script caught the exception that its agent raised."""
WITHOUT_TEXTS = frozenset({"other-spring-ai", "other-spring-ai-1"})
"""Dialects that report content only if configured, which they were not."""
UNREPORTED_ANSWERS = frozenset(
    {
        "js-traceloop/react_tools_flat",  # each call is a trace of its own, without tool calls
        "other-google-adk/llm_error_500",  # recorded without content
        "other-google-adk/react_tools",
        "other-sdks-mlflow/pydantic_ai_run_sync",  # PydanticAI's own objects, shown unchanged
    },
)
UNREPORTED_TOOL_TEXTS = frozenset(
    {
        "logfire-openai-agents/handoff",  # a handoff's span has only names
        "openinference-langchain/supervisor",  # handoffs without arguments
        "other-google-adk/llm_error_500",
        "other-google-adk/react_tools",
        "other-openai-agents-mlflow/handoff_genai",
        "other-spring-ai/react_tools_plain",
    },
)
UNREPORTED_ENDS = frozenset(
    {
        "eino-apmplus/adk_parallel",  # neither of two parallel agents has the whole answer
        "eino-cozeloop/adk_parallel",
        "eino-langfuse/adk_parallel",
        "logfire-openai-agents/llm_error_500",
        "openlit/async_agent",
        "openlit/cancelled_stream",  # neither an answer nor a reported failure
        "openlit/cancelled_tool",
        "openlit/rag_chain",
        "pair-langsmith-openlit/rag_chain_own",  # OpenLIT's retrieval in a trace of its own
        "pair-mlflow-openlit/rag_chain_own",
        "pair-openinference-openlit/rag_chain_own",
        "other-autogen/pipeline",  # runtime messages without content
        "other-autogen/react_tools",
        "other-autogen/tool_error_handled",
        "other-crewai-traceloop/delegation_crew_only",  # no spans of the client's calls
        "other-google-adk/llm_error_500",
        "other-google-adk/react_tools",
    },
)
UNREPORTED_WORDS = frozenset(
    {
        "cozeloop/stream_broken",  # the client reports it in other words
        "eino-apmplus/stream_broken",
        "eino-cozeloop/stream_broken",
        "eino-langfuse/stream_broken",
        "js-cozeloop/tool_error_raised",  # JavaScript has no ``ValueError``
        "js-openinference/tool_error_raised",
        "langfuse/tool_error_raised",  # reports only the message
        "openinference-langchain/stream_broken",
        "otel-genai/node_retry_policy",  # nodes are not spans
        "otel-genai/stream_broken",
        "other-openai-agents-openinference/tool_error_raised",
        "other-openai-agents-traceloop/tool_error_raised",
        "pair-langsmith-mlflow/errors_shared",
    },
)
UNREPORTED_OWNERS = frozenset({"js-traceloop/react_tools_flat"})
"""Runs in which each call, each tool and the agent are separate traces."""
LOST_FAILURES = frozenset({"pair-langsmith-mlflow/errors_shared"})
"""MLflow's processor drops spans that LangSmith sends late, and MLflow's spans below these."""
UNREPORTED: Mapping[str, Collection[str]] = {
    "details": WITHOUT_DETAILS | UNREPORTED_DETAILS,
    "errors": LOST_FAILURES,
    "owner": UNREPORTED_OWNERS,
    "outcome": UNREPORTED_FAILURES | UNREPORTED_CANCELLATIONS | CAUGHT,
    "answers": WITHOUT_TEXTS | UNREPORTED_ANSWERS,
    "tool texts": UNREPORTED_TOOL_TEXTS,
    "ends": WITHOUT_TEXTS | UNREPORTED_ENDS,
    "words": UNREPORTED_WORDS,
}
"""The runs, or folders of runs, to which a measure does not apply."""


def is_unreported(measure: str, capture: Capture) -> bool:
    """Return whether no span of a captured run reports the facts of a measure."""
    unreported = UNREPORTED.get(measure, ())
    return capture.dialect in unreported or capture.id in unreported
