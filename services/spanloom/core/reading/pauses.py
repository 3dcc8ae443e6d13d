"""Pauses: a run that waits for a person, which frameworks tell by raising what is no failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.reading.failures import exceptions, told_message
from spanloom.core.reading.raised import read_raised

if TYPE_CHECKING:
    from spanloom.core.model.span import Span
    from spanloom.core.reading.control_flow import ControlFlow


def find_question(span: Span, control_flow: ControlFlow) -> str | None:
    """Return what a person was asked by a span that paused; ``None`` if it did not pause.

    ``GraphInterrupt((Interrupt(value='Wire 500 EUR?', id='e8b4'),))`` → ``Wire 500 EUR?``; empty
    where only the pause is told.
    """
    told = [(r.type, r.message) for r in exceptions(span)]
    told.append((span.attributes.get("error.type", ""), told_message(span)))
    for kind, text in told:
        what = read_raised(kind, text)
        asked = control_flow.read_question(what.message)
        if asked or what.type in control_flow.pauses:
            return asked
    return None
