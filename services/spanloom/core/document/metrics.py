"""Typed access to the ``metrics_info`` of an agent or of the root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document.values import whole

if TYPE_CHECKING:
    from collections.abc import Mapping


class DocumentMetrics:
    """The metrics of an agent or of the whole run; a missing number is 0."""

    __slots__ = ("json",)

    def __init__(self, json: Mapping[str, Any]) -> None:
        """Wrap the JSON of ``metrics_info``."""
        self.json = json
        """The metrics as they were parsed; empty for steps other than agents and the root."""

    @property
    def llm_duration(self) -> int:
        """Milliseconds, the sum over the model steps."""
        return whole(self.json.get("llm_duration"))

    @property
    def tool_duration(self) -> int:
        """Milliseconds, the sum over the tool steps."""
        return whole(self.json.get("tool_duration"))

    @property
    def input_tokens(self) -> int:
        """Tokens that models read, the sum over the model steps."""
        return whole(self.json.get("input_tokens"))

    @property
    def output_tokens(self) -> int:
        """Tokens that models wrote, the sum over the model steps."""
        return whole(self.json.get("output_tokens"))

    @property
    def failed_models(self) -> int:
        """Number of model steps that failed."""
        return _ids_in(self.json.get("model_errors"))

    @property
    def failed_tools(self) -> int:
        """Number of tool steps that failed."""
        return _ids_in(self.json.get("tool_errors"))

    @property
    def model_error_rate(self) -> float:
        """Share of the model steps that failed, from 0 to 1."""
        return self.json.get("model_error_rate") or 0.0

    @property
    def tool_error_rate(self) -> float:
        """Share of the tool steps that failed, from 0 to 1."""
        return self.json.get("tool_error_rate") or 0.0

    @property
    def tool_step_proportion(self) -> float:
        """Share of tool steps among model and tool steps, from 0 to 1."""
        return self.json.get("tool_step_proportion") or 0.0


def _ids_in(errors: Mapping[str, Any] | None) -> int:
    """Return the number of step ids in ``errors``, which are grouped by error code."""
    return sum(len(ids) for ids in (errors or {}).values())
