"""Reads the evaluations of a span from its events ``gen_ai.evaluation.result``.

The conventions put name, score, label and explanation into an event of the evaluated span, or into
a log record that names the span; some senders make a child span of the evaluated span instead.
Evaluations are listed with the span and change no step; ``core/scoring`` makes scores of them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Event, Span
    from spanloom.core.values.attributes import Json

RESULT = "gen_ai.evaluation.result"
"""The name of the event or span that reports an evaluation."""
NAME = "gen_ai.evaluation.name"
VALUE = "gen_ai.evaluation.score.value"
LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
EVALUATOR = "gen_ai.evaluation.evaluator.name"
TEST_PASS = "gen_ai.evaluation.test_pass"  # noqa: S105  # no password
RESPONSE_ID = "gen_ai.response.id"
ERROR_TYPE = "error.type"
OWN = "spanloom.score."
"""Prefix of Spanloom's own attributes of an evaluation, which the conventions do not define."""

_EVENT = "gen_ai.evaluation"
_MEMBERS = {
    NAME: "name",
    LABEL: "label",
    EXPLANATION: "explanation",
    RESPONSE_ID: "response_id",
    ERROR_TYPE: "error_type",
}
OF_RESPONSE = "5c0e5c0e"
"""First digits of trace ids made up for evaluations that name a response instead of a span."""


def read_evaluations(span: Span) -> Sequence[Mapping[str, Json]]:
    """Return the evaluations in the span's events, in order, without empty fields."""
    return [_read(event) for event in span.events if event.name.startswith(_EVENT)]


def _read(event: Event) -> Mapping[str, Json]:
    attributes = event.attributes
    found: dict[str, Json] = {
        name: text for key, name in _MEMBERS.items() if (text := attributes.get(key))
    }
    if (score := decimal(attributes.get(VALUE, ""))) is not None:
        found["score"] = score
    return found


def trace_of_response(response_id: str) -> str:
    """Return the made-up trace id under which evaluations of a response are stored.

    They evaluate a model call whose trace is not known, or has not arrived yet.
    """
    digest = hashlib.blake2b(response_id.encode(errors="surrogatepass"), digest_size=12)
    return OF_RESPONSE + digest.hexdigest()
