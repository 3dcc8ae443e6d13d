"""Text that an agent's program puts in front of a person's question is left out."""

from __future__ import annotations

import pytest

from spanloom.core.messages.frames import without_frames

NOW = "<current_datetime>now</current_datetime>"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (f"{NOW}\n\nHow?", "How?"),
        (
            "<session_context>\na\n</session_context> <system-reminder>x</system-reminder>A?",
            "A?",
        ),
        (NOW, NOW),
        ("<b>How</b>?", "<b>How</b>?"),
        (f"How? {NOW}", f"How? {NOW}"),
        ("<current_datetime>now", "<current_datetime>now"),
    ],
)
def test_only_known_frames_at_the_beginning_are_left_out(text: str, asked: str) -> None:
    assert without_frames(text) == asked
