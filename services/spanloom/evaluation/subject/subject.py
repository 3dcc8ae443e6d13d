"""The subject of one judgement: a run, its ``expected``, and its results so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.evaluation.subject.expectations import expected_of_run
from spanloom.evaluation.subject.expected import Expected, UnreadableExpectedError, read_expected
from spanloom.evaluation.subject.run import Run, UnreadableRunError

if TYPE_CHECKING:
    from spanloom.evaluation.contract.result import Result


@dataclass
class Subject:
    """The input of the evaluators of one run; each member is parsed once, when first needed."""

    raw_run: object
    raw_expected: Any = None  # JSON values
    earlier: list[Result] = field(default_factory=list)
    """Results of the same run so far, for conditions on scores."""
    scores: dict[str, float | bool | str | None] = field(default_factory=dict)
    """Stored scores of the run, keyed by name, for conditions on scores."""

    @cached_property
    def run(self) -> Run:
        """The run; raises ``UnreadableRunError``."""
        return self.raw_run if isinstance(self.raw_run, Run) else Run(self.raw_run)

    @cached_property
    def expected(self) -> Expected:
        """The parsed ``expected``; raises ``UnreadableExpectedError``.

        The default is the expectations of the row that the run was imported from.
        """
        return read_expected(self.raw_expected or self._carried())

    def _carried(self) -> dict[str, Any]:  # JSON values
        try:
            return {} if self.run.is_messages else expected_of_run(self.run.document)
        except UnreadableRunError:  # each evaluator of the run reports this
            return {}
        except InvalidRequestError as error:
            raise UnreadableExpectedError(str(error)) from error

    @cached_property
    def reference(self) -> Run | None:
        """The reference run: the expected trajectory, or else the expected tool calls as messages.

        ``None`` if neither is given. Raises ``UnreadableExpectedError`` or ``UnreadableRunError``.
        """
        if (given := self.expected.trajectory) is not None:
            return given if isinstance(given, Run) else Run(given)
        calls = self.expected.tool_calls
        return None if calls is None else Run(_messages_of(calls))


def _messages_of(calls: Any) -> list[dict[str, Any]]:  # of ExpectedCall
    """Return messages with the calls one after the other, each with an empty result."""
    messages: list[dict[str, Any]] = []
    for at, call in enumerate(calls):
        function = {"name": call.name, "arguments": call.arguments}
        made = {"id": f"call_{at}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [made]})
        messages.append({"role": "tool", "tool_call_id": f"call_{at}", "content": ""})
    return messages
