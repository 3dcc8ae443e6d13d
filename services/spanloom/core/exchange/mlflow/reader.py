"""Reads MLflow traces in the versions 2, 3 and 4, and in the mixed form of MLflow 3.5, as runs.

Span ids are base64 or hex digits, recognized by their length, because hex digits are valid base64
too. Only the spans and their times are required; ``info`` adds data about the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import Draft, complete
from spanloom.core.exchange.ids import note_made, step_id_of, trace_id_of
from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.ids import span_key
from spanloom.core.exchange.mlflow.info import RunFacts
from spanloom.core.exchange.mlflow.scores import Assessed, read_assessments
from spanloom.core.exchange.mlflow.spans_in import SpanReader
from spanloom.core.exchange.mlflow.values import parsed
from spanloom.core.formats.readers import EachAlone, a_list, a_text, an_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.exchange.drafts import DraftStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

_IDS = ("trace_id", "request_id")


def is_trace(value: Any) -> bool:  # any JSON value
    """Return whether a JSON value has both components of a trace, ``info`` and ``data``."""
    if not isinstance(value, dict):
        return False
    info, data = value.get("info"), value.get("data")
    return isinstance(info, dict) and isinstance(data, dict) and not info.keys().isdisjoint(_IDS)


def read_trace(value: Any, reading: Reading) -> Iterable[Json]:  # any JSON value
    """Convert a trace to a document, and yield it; raises ``InvalidRequestError`` with the path."""
    yield complete(draft_of(parsed(value, "trace"), reading))


def draft_of(
    value: object,
    reading: Reading,
    where: str = "",
    expected: Mapping[str, object] | None = None,
) -> Draft:
    """Return a trace as a draft; ``expected`` has an evaluation set's expectations for the run.

    Raises ``InvalidRequestError`` with the path, which begins with ``where``.
    """
    trace = an_object(value, where.rstrip(".") or "trace")
    info = an_object(trace.get("info"), f"{where}info")
    data = an_object(trace.get("data"), f"{where}data")
    spans = a_list(data.get("spans"), f"{where}data.spans")
    source = _source_id(info, where)
    trace_id = trace_id_of(reading.format, reading.project, source)
    note_made(trace_id, source, f"{where}info", reading.losses)
    steps, root, by_span = _steps(trace_id, spans, f"{where}data.spans", reading)
    facts = RunFacts(info, root.attributes.get(names.RUN), f"{where}info", reading.losses)
    root_step = steps[0]
    run = Assessed(trace_id, by_span, root_step.start_ms + root_step.duration_ms)
    scores, expectations = read_assessments(info, f"{where}info", run, reading.losses)
    reading.scores += scores
    extras, warnings = facts.extras(source, {**expectations, **(expected or {})})
    return Draft(trace_id, reading.project, reading.format, steps, extras, warnings)


def _source_id(info: Json, where: str) -> str:
    name = next((name for name in _IDS if info.get(name)), _IDS[0])
    if not (source := a_text(info.get(name), f"{where}info.{name}")):
        raise InvalidRequestError(f"{where}info.{name}: it is empty")
    return source


def _steps(
    trace_id: str, spans: Sequence[object], where: str, reading: Reading
) -> tuple[Sequence[DraftStep], SpanReader, Mapping[str, str]]:
    """Return the steps, the root first; the root's span reader; step ids, keyed by span id."""
    if not spans:
        raise InvalidRequestError(f"{where}: it has no spans; the run is in them")
    listed = [an_object(span, f"{where}.{at}") for at, span in enumerate(spans)]
    keys = [_key(span, f"{where}.{at}") for at, span in enumerate(listed)]
    ids = _ids(trace_id, keys, reading)
    above = _parents([_parent_key(span) for span in listed], keys)
    root = above.index(-1)
    order = [root, *(at for at in range(len(listed)) if at != root)]
    readers = {at: SpanReader(listed[at], f"{where}.{at}", reading.losses) for at in order}
    steps = [readers[at].step(ids[at], ids[above[at]] if at != root else "") for at in order]
    by_span = {key: "" if at == root else ids[at] for at, key in reversed([*enumerate(keys)])}
    return steps, readers[root], by_span


def _key(span: Json, where: str) -> str:
    """Return the id of a span; raise ``InvalidRequestError`` if it has none."""
    context = span.get("context")
    source = (context if isinstance(context, dict) else span).get("span_id")
    return span_key(a_text(source, f"{where}.span_id"))


def _parent_key(span: Json) -> str:
    source = span.get("parent_span_id") or span.get("parent_id")
    return span_key(source) if isinstance(source, str) and source else ""


def _ids(trace_id: str, keys: Sequence[str], reading: Reading) -> Sequence[str]:
    """Return a step id for every span: the span's id, or a hash if an earlier span has that id."""
    ids: dict[str, int] = {}
    for at, key in enumerate(keys):
        step_id = step_id_of(trace_id, f"spans.{at}", key, ids)
        note_made(step_id, key, f"data.spans.{at}.span_id", reading.losses)
        ids[step_id] = at
    return list(ids)


def _parents(above: Sequence[str], keys: Sequence[str]) -> Sequence[int]:
    """Return the index of every span's parent; -1 for the root.

    The root is the first span without a parent, otherwise the first span whose parent is not in the
    trace, otherwise the first span. Spans that are not descendants of the root become its children.
    """
    places: dict[str, int] = {}
    for at, key in enumerate(keys):
        places.setdefault(key, at)
    found = [places.get(key, -1) if key else -1 for key in above]
    roots = [at for at, key in enumerate(above) if not key]
    root = next(iter([*roots, *(at for at, parent in enumerate(found) if parent < 0), 0]))
    found = [root if parent < 0 else parent for parent in found]
    found[root] = -1
    _hang(found, root)
    return found


def _hang(parents: list[int], root: int) -> None:
    """Make the spans in a cycle children of the root; changes ``parents`` in place."""
    reaches = {root}
    for start in range(len(parents)):
        path, at = [], start
        on_path: set[int] = set()
        while at not in reaches and at not in on_path:
            path.append(at)
            on_path.add(at)
            at = parents[at]
        if at not in reaches:
            parents[at] = root
        reaches.update(path)


TRACES = EachAlone(is_trace, read_trace)
"""The reader for files of MLflow traces."""
