"""Runs with texts, stored with their documents, and searches over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from tests.support.otlp_requests import START_NS, next_seq
from tests.support.trajectory_records import make_trajectory

from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.access import Reach
from spanloom.core.model.step import Step, StepError, StepType
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.texts import TextSearch
from spanloom.core.ports.trajectories import TrajectoryRecord
from spanloom.core.query.where.text_query import parse_text_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.store import Store

MS = 1_000_000


def conversation(*said: str) -> str:
    """Return messages of a model call, the user's and the model's in turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    return orjson.dumps(messages).decode()


def step(
    number: int,
    given: str = "",
    said: str = "",
    error: str = "",
    *,
    kind: StepType = StepType.TOOL,
    name: str = "search",
) -> Step:
    """Return a step of one millisecond that starts at millisecond ``number`` of the run."""
    start_ns = START_NS + number * MS
    return Step(
        id=f"{number + 1:016x}",
        parent_id=f"{1:016x}",
        type=kind,
        name=name,
        start_ns=start_ns,
        end_ns=start_ns + MS,
        input=given,
        output=said,
        error=StepError(-1, error) if error else None,
    )


def model(number: int, given: str, said: str) -> Step:
    return step(number, given, said, kind=StepType.MODEL, name="chat")


def text_record(
    store: Store, key: TraceKey, steps: Sequence[Step], start_ns: int = START_NS
) -> TrajectoryRecord:
    """Return the next version of a run of these steps, below an agent without texts."""
    run = make_trajectory(key, start_ns, steps)
    run.root = run.root._replace(input="", output="", end_ns=start_ns + 1000 * MS)
    run.agent_steps = [run.agent_steps[0]._replace(step=run.root)]
    return record_of(store, key, run)


def record_of(store: Store, key: TraceKey, run: Trajectory) -> TrajectoryRecord:
    head = store.trajectories.heads([key]).get(key)
    version = head.version + 1 if head else 1
    return TrajectoryRecord(
        key=key,
        version=version,
        seq=next_seq(),
        status=Status.SETTLED,
        fingerprint=f"print {version}",
        trajectory=run,
        document=encode_document(run, version, Status.SETTLED),
        spans_document=b"[]",
        calls=[],
        previous=head,
    )


def store_texts(
    store: Store, key: TraceKey, steps: Sequence[Step], start_ns: int = START_NS
) -> int:
    """Store a version of a run and index it; return the number of texts added to the index."""
    store.trajectories.write([text_record(store, key, steps, start_ns)])
    return store.text_index.index_texts([key])


def said(query: str) -> TextSearch:
    """Return the search for a query as a user types it, without restrictions."""
    return TextSearch(parse_text_query(query))


def found(store: Store, project: str, query: str, **wanted: object) -> list[tuple[str, str]]:
    """Return the steps and parts of the matches, by position."""
    search = TextSearch(parse_text_query(query), **wanted)  # type: ignore[arg-type]  # of any test
    hits = [line.hit for line in store.texts.search(Reach.only(project), search, 1000)]
    return [(hit.step_id[-2:], str(hit.part)) for hit in sorted(hits, key=lambda h: h.position)]
