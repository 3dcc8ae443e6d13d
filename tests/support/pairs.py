"""Runs that several instrumentations report at once: how they are measured, and what is wrong yet.

Each names the measures that are wrong: whoever mends one takes it out here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.ground_truth import DATA_TOOLS, MEASURES, Answer, Capture, Measures

if TYPE_CHECKING:
    from collections.abc import Mapping

TOOL_IN_A_TRACE_OF_ITS_OWN = {
    "pair-langsmith-langfuse/errors_own": {"owner", "words"},
    "pair-langsmith-langfuse/errors_shared": {"tool", "owner"},
    "pair-langsmith-openlit/errors_own": {"tool", "owner"},
    "pair-langsmith-openlit/errors_shared": {"tool", "owner"},
    "pair-langsmith-otel-genai/errors_own": {"tool", "owner"},
    "pair-langsmith-otel-genai/errors_shared": {"tool", "owner"},
    "pair-openinference-langsmith/errors_shared": {"tool"},
    "triple-openinference-traceloop-langsmith/errors_own": {"tool"},
    "triple-openinference-traceloop-langsmith/errors_shared": {"tool"},
}
"""LangSmith runs a middleware in a context that names a trace and a parent which nobody reports:
what the others tell of the tool inside is a trace of one tool, and only calls tie traces."""
RETRIEVAL_IN_A_TRACE_OF_ITS_OWN = {
    "pair-langsmith-openlit/rag_chain_own": {"retrievals"},
    "pair-mlflow-openlit/rag_chain_own": {"retrievals"},
    "pair-openinference-openlit/rag_chain_own": {"retrievals"},
}
"""OpenLIT gives each step of a plain chain a trace of its own: the call is tied, the rest not."""
RICHER_IN_THE_OTHER_TRACE = {
    "pair-langfuse-mlflow/errors_own": {"words"},
    "pair-traceloop-mlflow/parallel_tools_own": {"details"},
    "pair-traceloop-mlflow/stream_agent_own": {"details"},
    "pair-traceloop-mlflow/supervisor_own": {"details"},
}
"""Of two traces the one that began first counts, and MLflow's, which repeats it, knows more."""
WRONG: Mapping[str, set[str]] = {
    **TOOL_IN_A_TRACE_OF_ITS_OWN,
    **RETRIEVAL_IN_A_TRACE_OF_ITS_OWN,
    **RICHER_IN_THE_OTHER_TRACE,
}


def _check_retrievals(capture: Capture, answers: list[Answer]) -> list[str]:
    """Demand each retrieval once; the measure of tools leaves them open."""
    steps = [s for a in answers for _, s in a.steps()]
    got = sum(s["metadata"].get("tool_kind") in DATA_TOOLS for s in steps)
    want = capture.truth["retrievals"]
    return [] if got == want else [f"{got} retrievals, in truth {want}"]


PAIR_MEASURES: Measures = {**MEASURES, "retrievals": _check_retrievals}


def wrong_measures(measured: Mapping[str, list[str]]) -> set[str]:
    return {name for name, what in measured.items() if what}
