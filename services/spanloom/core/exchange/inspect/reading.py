"""Reads evaluation logs: every sample is a run.

The steps for model calls, tools and agents are made from the events of a sample. If a sample has
only messages, the steps are made from the messages, and have no times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import Draft, complete
from spanloom.core.exchange.ids import note_made, trace_id_of
from spanloom.core.exchange.inspect.attachments import resolved
from spanloom.core.exchange.inspect.events import ours_of, root_of, steps_of_events
from spanloom.core.exchange.inspect.messages import ASSISTANT, read_all
from spanloom.core.exchange.inspect.scores import Scored, read_scores
from spanloom.core.exchange.inspect.times import milliseconds
from spanloom.core.exchange.inspect.unread import count_of_messages, count_of_sample
from spanloom.core.exchange.inspect.writing import TARGET
from spanloom.core.exchange.kept import OF_THE_SOURCE
from spanloom.core.exchange.messages.reading import Source, draft_of_messages
from spanloom.core.formats.json_bytes import as_text, dump
from spanloom.core.formats.readers import Refused, a_list, an_object, read_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Located, Reading, Taken

FORMAT = "inspect"
_CALLED = ("model", "tool", "span_begin")


class Sample(NamedTuple):
    """A sample, with data from the log that contains it."""

    json: Any  # any JSON value
    eval: Json
    """The log's ``eval``: task, model, dataset."""
    log: Json


class LogReader:
    """Reads logs, and samples extracted from a ``.eval`` file with the header of its log."""

    def fits(self, value: Any) -> bool:  # any JSON value
        """Return whether a value is a log."""
        return isinstance(value, dict) and isinstance(value.get("eval"), dict)

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return ``False``, because a list is never a single record of this format."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield a run for each sample; an invalid sample is rejected, and the others are read."""
        for place, value in values:
            try:
                log = an_object(value, "the log")
                about = an_object(log.get("eval"), "eval")
                samples = a_list(log.get("samples"), "samples")
            except InvalidRequestError as error:
                yield Refused(place, str(error))
                continue
            if not samples:
                yield Refused(place, "samples: the log has none")
            for at, sample in enumerate(samples):
                where = place if len(samples) == 1 else f"{place}: sample {at + 1}"
                yield from read_alone(where, Sample(sample, about, log), _read_sample, reading)


INSPECT = LogReader()


def _read_sample(source: Sample, reading: Reading) -> Iterable[Json]:
    sample = source._replace(json=resolved(an_object(source.json, "sample")))
    yield complete(_draft(sample, reading))


def _draft(sample: Sample, reading: Reading) -> Draft:
    source = _source_id(sample)
    ours = ours_of(sample.json)
    own = str(sample.json.get("uuid") or source)
    trace_id = trace_id_of(FORMAT, reading.project, str(ours.get("trace_id") or own))
    reading.losses.trace_id = trace_id
    note_made(trace_id, str(ours.get("trace_id") or own), "uuid", reading.losses)
    _read_scores(sample, trace_id, reading)
    count_of_sample(sample.log, sample.eval, sample.json, reading.losses)
    extras = _extras(sample, ours, source)
    found = sample.json.get("events")
    events = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if any(event.get("event") in _CALLED for event in events):
        steps = steps_of_events(sample.json, sample.eval, events, trace_id, reading.losses)
        return Draft(trace_id, reading.project, FORMAT, steps, extras, _warnings(ours))
    return _of_messages(sample, trace_id, extras, reading)


def _read_scores(sample: Sample, trace_id: str, reading: Reading) -> None:
    if not isinstance(scores := sample.json.get("scores"), dict):
        return
    known = (sample.json.get("completed_at"), sample.eval.get("created"))
    at = next((ms for moment in known if (ms := milliseconds(moment)) is not None), 0)
    run = Scored(
        trace_id,
        str(sample.eval.get("eval_id") or ""),
        str(sample.json.get("id", "")),
        sample.json.get("epoch"),
        at,
    )
    reading.scores += read_scores(scores, run, reading.losses)


def _of_messages(
    sample: Sample, trace_id: str, extras: Mapping[str, object], reading: Reading
) -> Draft:
    """Make a run from the messages of a sample, with start and end of the sample."""
    root = root_of(sample.json, sample.eval, trace_id, ())
    model = str(sample.eval.get("model") or "")
    messages = read_all(sample.json.get("messages"), reading.losses)
    count_of_messages(sample.json.get("messages"), "messages", reading.losses)
    models = [model if one["role"] == ASSISTANT else "" for one in messages]
    source = Source(trace_id=trace_id, name=root.name, extras=extras, models=models)
    draft = draft_of_messages(messages, reading, source)
    made = draft.steps[0]
    made.duration_ms, made.error = root.duration_ms, root.error
    for step in draft.steps:
        step.start_ms += root.start_ms
    return draft


def _warnings(ours: Mapping[str, Any]) -> list[str]:
    found = ours.get("warnings")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _source_id(sample: Sample) -> str:
    known = (sample.eval.get("eval_id") or sample.eval.get("created"), sample.json.get("id"))
    return "/".join(str(one) for one in (*known, sample.json.get("epoch", 1)))


def _extras(sample: Sample, ours: Mapping[str, Any], source: str) -> Mapping[str, object]:
    kept = {k: v for k, v in ours.items() if k in _KEPT and isinstance(v, _KEPT[k])}
    target = _target(sample)
    if ours:
        own = kept.get("metadata")
        about = {**target, **(own if isinstance(own, dict) else {})}
        return kept | ({"metadata": about} if about else {})
    metadata = {"source_id": source, "task": str(sample.eval.get("task") or ""), **target}
    given = sample.json.get("metadata")
    for name, value in given.items() if isinstance(given, dict) else ():
        metadata.setdefault(str(name), value if isinstance(value, str) else dump(value).decode())
    return {"metadata": {k: v for k, v in sorted(metadata.items()) if v}}


def _target(sample: Sample) -> Mapping[str, str]:
    """Return the expected answer of the sample as metadata for the run."""
    target = sample.json.get(TARGET)
    return {TARGET: as_text(target)} if target else {}


_TYPES = {"tags": list, "metadata": dict, "services": list, "linked_traces": list}
_KEPT: Mapping[str, type] = {name: _TYPES.get(name, str) for name in OF_THE_SOURCE}
