"""The typed view of the metrics of an agent, or of a whole run."""

from __future__ import annotations

from spanloom.core.document import DocumentMetrics


def test_metrics_are_numbers_and_missing_ones_are_0() -> None:
    metrics = DocumentMetrics(
        {
            "llm_duration": "1500",
            "tool_duration": "20",
            "input_tokens": 7,
            "output_tokens": 3,
            "model_errors": {"429": ["a", "b"], "-1": ["c"]},
            "tool_errors": {"-1": ["d"]},
            "tool_error_rate": 0.5,
        }
    )
    assert (metrics.llm_duration, metrics.tool_duration) == (1_500, 20)
    assert (metrics.input_tokens, metrics.output_tokens) == (7, 3)
    assert (metrics.failed_models, metrics.failed_tools) == (3, 1)
    assert (metrics.tool_error_rate, metrics.model_error_rate) == (0.5, 0)
    names = [name for name, of in vars(DocumentMetrics).items() if isinstance(of, property)]
    bare = DocumentMetrics({})
    assert {name: getattr(bare, name) for name in names} == dict.fromkeys(names, 0)
