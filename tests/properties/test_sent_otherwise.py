"""Captured runs as other senders would send them: the same result, or a warning of the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.each_capture import each_capture
from tests.support.ground_truth import Capture, all_captures
from tests.support.mutations import extract_all, structure, traces_of, unchanged
from tests.support.sent_otherwise import CHANGES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from spanloom.core.model.trajectory import Trajectory

CAPTURES = list(all_captures())
_WITHOUT_TOOLS = {"bare_llm_batch", "chain", "stategraph", "workflow"}
_CORRECTED = {
    # Token counts that are wrong as sent, which only attributes of known names reveal.
    *("other-frameworks-openlit/anthropic_cached", "other-google-adk/parallel_tools"),
    *("other-google-adk/pipeline", "other-google-adk/react_tools", "other-google-adk/stream_agent"),
}
_LOGFIRES_ANTHROPIC = {"logfire-anthropic/react_tools"}  # its input excludes cached tokens
SILENT: Mapping[str, Collection[str]] = {
    # Only its operation shows the kind of a run around others.
    "operation dropped": {
        "other-frameworks-openlit/openai_agents_two_runs",
        "other-google-adk-openinference/long_running",
        "other-strands/pipeline",
        "traceloop-sdk/sdk_wraps_langchain",
    },
    "counts without a prefix": _CORRECTED | _LOGFIRES_ANTHROPIC,
    "counts under unknown names": _LOGFIRES_ANTHROPIC,
    # A workflow's messages are reprs of its state as attributes, but its answer in an event.
    "messages in an event": {"openlit/stream_agent"},
    # Quotation marks distinguish a text from an object, so that an object in them is a text.
    # (Eino's spans come through Langfuse's own endpoint, and no SDK encodes them again.)
    "JSON encoded twice": {
        *(
            c.id
            for c in CAPTURES
            if c.dialect == "eino-langfuse" and c.scenario not in _WITHOUT_TOOLS
        ),
        *(f"other-openai-agents-mlflow/approval_{name}" for name in ("approved", "of_two")),
    },
    # Spans with attributes of the conventions only; just the scope names their framework.
    "scopes renamed": {
        *("mlflow-genai/llm_error_500", "mlflow-genai/react_tools", "mlflow-genai/stream_agent"),
        *("mlflow-genai/tool_error_raised", "other-agent-framework/approval_rejected"),
        "other-openai-agents-mlflow/handoff_genai",
    },
}
"""The runs that lose something without a warning, by change."""


def reading(trajectories: Iterable[Trajectory]) -> list[object]:
    """Return all that users see of the runs: structure, tokens, outcome, failures and texts."""
    return [
        (
            structure([t]),
            t.root_metrics.input_tokens,
            t.root_metrics.output_tokens,
            t.outcome,
            len(t.failures),
            [(s.id, s.input, s.output) for a in t.agent_steps for s in (a.step, *a.steps)],
        )
        for t in trajectories
    ]


@pytest.mark.parametrize("change", CHANGES)
@each_capture(CAPTURES, every_day=2)
def test_it_reads_the_same_or_a_warning_says_what_is_lost(capture: Capture, change: str) -> None:
    plain, left = unchanged(capture), extract_all(traces_of(capture), CHANGES[change])
    is_same = reading(left) == reading(plain)
    warns = any(set(b.warnings) - set(a.warnings) for a, b in zip(plain, left, strict=True))
    assert (is_same or warns) is (capture.id not in SILENT.get(change, ()))
