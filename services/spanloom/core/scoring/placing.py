"""Makes the scores of a trace from evaluation results: finds the step to which each belongs.

This happens whenever the run is built, so a result may arrive before its run, after it, or twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.conventions.evaluations import (
    OF_RESPONSE,
    RESPONSE_ID,
    RESULT,
    trace_of_response,
)
from spanloom.core.conventions.invariant import ADDRESS, read_addresses
from spanloom.core.conventions.invariant_annotations import evidence_of
from spanloom.core.model.score import Score
from spanloom.core.model.trajectory import Kind
from spanloom.core.ports.calls import ALWAYS_NS, Call, CallWindow
from spanloom.core.scoring.results import read_result
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.conventions.invariant_addresses import Addresses, Spot
    from spanloom.core.model.score import Target
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.spans import Unplaced
    from spanloom.core.scoring.results import Result

    _Place = tuple[Target, str]  # the step id is empty if the target is the trajectory

BY_TELEMETRY = "span:"
"""Prefix of ``Score.step_hash`` on scores made from results; the span id follows."""
_RESPONSE_IDS = (RESPONSE_ID, "ai.response.id", "response_id", "llm.response.id")
_MODEL = Kind.MODEL
_NOBODY = "unknown"
_OF_RESPONSE = "response "


class _Sent(NamedTuple):
    result: Result
    span_id: str
    author: str
    address: str = ""
    """For an Invariant annotation, the address of its target in the messages of the run."""


def list_scores(
    key: TraceKey,
    trajectory: Trajectory,
    spans: Iterable[Span],
    unplaced: Iterable[Unplaced] = (),
    responses: Mapping[str, str] | None = None,
) -> Sequence[Score]:
    """Return the scores of a trace, each once; if a score has several results, the latest counts.

    ``responses`` are step ids, keyed by response id, if the caller has them.
    """
    sent = [*_in_spans(spans), *_unplaced(unplaced)]
    if not sent:
        return ()
    if any(one.address for one in sent):
        sent = _placed(sent, read_addresses(spans))
    known = list_responses(trajectory, spans) if responses is None else responses
    places = _Places(trajectory, known)
    return newest(_score(key, one, *places.find(one)) for one in sent)


def list_waiting(key: TraceKey, unplaced: Iterable[Unplaced]) -> Sequence[Score]:
    """Return the scores of a trace without spans; their target is a span id until spans arrive."""
    if is_of_response(key):
        return ()
    return newest(_score(key, one, *_as_sent(one)) for one in _unplaced(unplaced))


def list_of_response(key: TraceKey, step_id: str, unplaced: Iterable[Unplaced]) -> Sequence[Score]:
    """Return the scores for the model step of a response; for the run if ``step_id`` is empty."""
    return newest(_score(key, one, *_target(step_id)) for one in _unplaced(unplaced))


def newest(scores: Iterable[Score]) -> Sequence[Score]:
    """Return the latest revision of each score, ordered by id."""
    found: dict[str, Score] = {}
    for score in scores:
        known = found.get(score.id)
        if known is None or _order(known) < _order(score):
            found[score.id] = score
    return [found[score_id] for score_id in sorted(found)]


def list_responses(trajectory: Trajectory, spans: Iterable[Span]) -> Mapping[str, str]:
    """Return the ids of a trace's model steps, keyed by response id; the root's id is empty."""
    steps = {v.span_id: v.step_id for v in trajectory.verdicts if v.kind is _MODEL and v.step_id}
    if not steps:
        return {}
    found: dict[str, str] = {}
    for span in spans:
        if (step_id := steps.get(span.span_id)) and (
            response_id := first(span.attributes, *_RESPONSE_IDS)
        ):
            shown = "" if step_id == trajectory.root.id else step_id
            found[response_id] = min(found.get(response_id, shown), shown)
    return found


def response_row(key: TraceKey, response_id: str, step_id: str) -> Call:
    """Return the call-index row with which a lookup of the response finds its step."""
    return Call(key, step_id, response_key(response_id), 0, ALWAYS_NS, is_bare=False)


def response_window(response_id: str) -> CallWindow:
    """Return the call-index lookup that finds the step of the response with this id."""
    return CallWindow(response_key(response_id), 0, ALWAYS_NS)


def response_key(response_id: str) -> str:
    """Return a response's key in the call index."""
    return _OF_RESPONSE + trace_of_response(response_id)


def is_of_response(key: TraceKey) -> bool:
    """Return whether a trace only holds results that name a response and no span."""
    return key.trace_id.startswith(OF_RESPONSE)


def named_responses(unplaced: Iterable[Unplaced]) -> Sequence[str]:
    """Return the response ids that these results name."""
    return sorted({one.event.attributes.get(RESPONSE_ID, "") for one in unplaced} - {""})


def _order(score: Score) -> tuple[int, str]:
    return score.revision, repr(score)


def _in_spans(spans: Iterable[Span]) -> Iterator[_Sent]:
    for span in spans:
        for event in span.events:
            if event.name == RESULT and (result := read_result(event.attributes, event.time_ns)):
                yield _Sent(result, span.span_id, result.author or _author(span))
        if span.name == RESULT and (
            result := read_result(span.attributes, span.end_ns or span.start_ns)
        ):
            address = span.attributes.get(ADDRESS, "")
            author = result.author or _author(span)
            yield _Sent(result, span.parent_span_id, author, address)


def _unplaced(unplaced: Iterable[Unplaced]) -> Iterator[_Sent]:
    for one in unplaced:
        if result := read_result(one.event.attributes, one.event.time_ns):
            yield _Sent(result, one.span_id, result.author or _NOBODY)


def _placed(sent: Iterable[_Sent], addresses: Addresses) -> list[_Sent]:
    """Return annotations as results of the spans that their addresses name.

    If no message matches an address yet, the target of the annotation is the run.
    """
    return [_at_spot(one, addresses.resolve(one.address)) if one.address else one for one in sent]


def _at_spot(sent: _Sent, spot: Spot | None) -> _Sent:
    evidence = orjson.dumps(evidence_of(sent.address, spot)).decode()
    result = replace(sent.result, members={**sent.result.members, "evidence": evidence})
    return sent._replace(result=result, span_id=spot.step_id if spot else sent.span_id)


def _author(span: Span) -> str:
    return span.scope_name or span.service_name or _NOBODY


class _Places:
    """Finds the steps to which results belong, in one trajectory."""

    def __init__(self, trajectory: Trajectory, responses: Mapping[str, str]) -> None:
        self._verdicts = {verdict.span_id: verdict for verdict in trajectory.verdicts}
        self._root = trajectory.root.id
        self._responses = responses

    def find(self, sent: _Sent) -> _Place:
        """Return the target and the step id of a result.

        For a span that is not a step, the step is the nearest one above. As long as the span has
        not arrived, the span itself is the target.
        """
        if sent.result.target:
            return _as_sent(sent)
        if sent.span_id in self._verdicts:
            return self._step_of(sent.span_id)
        if (step_id := self._responses.get(sent.result.response_id)) is not None:
            return _target(step_id)
        return _as_sent(sent)

    def _step_of(self, span_id: str) -> _Place:
        seen: set[str] = set()
        while (verdict := self._verdicts.get(span_id)) is not None and span_id not in seen:
            if verdict.step_id:
                return _target("" if verdict.step_id == self._root else verdict.step_id)
            seen.add(span_id)
            span_id = verdict.parent_span_id
        return "trajectory", ""


def _target(step_id: str) -> _Place:
    return ("step", step_id) if step_id else ("trajectory", "")


def _as_sent(sent: _Sent) -> _Place:
    """Return the target that the result names, or else its span, or else the trajectory."""
    target = sent.result.target or ("span" if sent.span_id else "trajectory")
    return (target, sent.span_id) if sent.span_id and target != "trajectory" else ("trajectory", "")


def _score(key: TraceKey, sent: _Sent, target: Target, step_id: str) -> Score:
    result = sent.result
    members = {"source": "api", **result.members}
    return Score(
        key=key,
        name=result.name,
        author=sent.author,
        revision=result.time_ns // 1_000,
        target=target,
        step_id=step_id,
        step_hash=BY_TELEMETRY + sent.span_id,
        value_type=result.value_type,
        number=result.number,
        text=result.text,
        status=result.status,
        **members,
    )
