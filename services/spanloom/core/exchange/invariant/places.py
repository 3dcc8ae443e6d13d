"""Finds the positions of a step's texts in the message that was written for the step."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.formats.turns import text_of
from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.turns import Turn

Places: TypeAlias = "Mapping[tuple[str, str], tuple[str, int]]"
"""Maps each text of a step to its position in the message: field, offset in UTF-16 code units.

For example ``("output", "0.content")`` to ``("content", 12)``.
"""


def places_of(turn: Turn, step: DocumentStep) -> Places:
    """Return the positions of a step's texts in the message of its turn."""
    if turn.at is not None:
        is_only = len(messages_in(step.input, "user")) == 1
        parts = [f"{turn.at}.content", *([""] if is_only else [])]
        return {("input", part): ("content", 0) for part in parts}
    if turn.message["role"] == "tool":
        return {("output", ""): ("content", 0)}
    return dict(_of_answers(step))


def _of_answers(step: DocumentStep) -> Iterator[tuple[tuple[str, str], tuple[str, int]]]:
    """Yield the positions of an output's texts in the message, where line breaks separate them."""
    begin = calls = 0
    answers = messages_in(step.output, "assistant")
    for at, answer in enumerate(answers):
        if text := text_of(answer.get("content")):
            yield ("output", f"{at}.content"), ("content", begin)
            begin += len(text.encode("utf-16-le", "surrogatepass")) // 2 + 1
        listed = answer.get("tool_calls")
        for k, call in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(call, dict):
                place = "output", f"{at}.tool_calls.{k}.function.arguments"
                yield place, (f"tool_calls.{calls}.function.arguments", 0)
                calls += 1
    if len(answers) == 1:
        yield ("output", ""), ("content", 0)
