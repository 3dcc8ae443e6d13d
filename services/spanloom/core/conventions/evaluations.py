"""Evaluations of what a span did, in its events: ``gen_ai.evaluation.result``.

The conventions put name, score, label and explanation into an event of the evaluated span, or into
a log record that names the span. They are listed with the span; they change no step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Event, Span
    from spanloom.core.values.attributes import Json

_EVENT = "gen_ai.evaluation"
_SCORE = "gen_ai.evaluation.score.value"
_MEMBERS = {
    "gen_ai.evaluation.name": "name",
    "gen_ai.evaluation.score.label": "label",
    "gen_ai.evaluation.explanation": "explanation",
    "gen_ai.response.id": "response_id",
    "error.type": "error_type",
}


def read_evaluations(span: Span) -> Sequence[Mapping[str, Json]]:
    """Return the evaluations in the span's events, in their order, without empty members."""
    return [_read(event) for event in span.events if event.name.startswith(_EVENT)]


def _read(event: Event) -> Mapping[str, Json]:
    attributes = event.attributes
    found: dict[str, Json] = {
        name: text for key, name in _MEMBERS.items() if (text := attributes.get(key))
    }
    if (score := decimal(attributes.get(_SCORE, ""))) is not None:
        found["score"] = score
    return found
