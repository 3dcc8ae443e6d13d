"""Two projects that differ only in name, and checks that a reader sees only one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import md5
from typing import TYPE_CHECKING
from zlib import crc32

from tests.support.annotations import SCHEME, annotation
from tests.support.calls import windows
from tests.support.filters import filtered
from tests.support.otlp_requests import START_NS, message_of, next_seq, spooled, wire_span
from tests.support.span_store import content_event
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.conventions.evaluations import RESULT, trace_of_response
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import (
    Alert,
    AlertEvent,
    AlertState,
    Delivery,
    DeliveryState,
    RunEvidence,
)
from spanloom.core.model.annotation_queue import Alike, Event, Queue, QueueEvent, QueueItem
from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace
from spanloom.core.model.experiment import (
    Experiment,
    ExperimentCounts,
    ExperimentEnd,
    StoredEvaluator,
)
from spanloom.core.model.online_rule import (
    OnlineRule,
    RuleProgress,
    Walk,
    WalkPlace,
    Work,
    WorkState,
)
from spanloom.core.model.saved_view import SavedView
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Kind, Pause, SpanVerdict, Status
from spanloom.core.model.upkeep import BEFORE_ALL, DeletionScope, Replay, Selection
from spanloom.core.ports.alerts import EventsQuery
from spanloom.core.ports.annotations import AnnotationQuery, KeptVersion, ScoreQuery, StoredScheme
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.progress import Progress
from spanloom.core.ports.steps import StepSelection
from spanloom.core.ports.texts import TextSearch
from spanloom.core.query.positions import Position
from spanloom.core.query.selection import parse_order
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.sharing import ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from spanloom.core.ports.store import Store

CALL = model_step(2)
SAID = TextSearch(parse_text_query(CALL.output))
EVERY = 10_000


@dataclass(frozen=True)
class Twins:
    """A store with the same trace, conversation, model call and replay in two projects."""

    store: Store
    mine: TraceKey
    theirs: TraceKey
    replays: Mapping[str, str]
    answers: Mapping[str, str]
    """The trace that resumes the common trace, by project."""

    @property
    def names(self) -> set[str]:
        return {self.mine.project, self.theirs.project}

    @property
    def absent(self) -> str:
        """The id of a trace that has a score but no run, in both projects."""
        return _absent(self.mine).trace_id

    @property
    def conversation(self) -> str:
        return f"talk {self.mine.trace_id}"


def make_twins(store: Store, mine: str, theirs: str, trace_id: str) -> Twins:
    keys = [TraceKey(mine, trace_id), TraceKey(theirs, trace_id)]
    replays, answers = {}, {}
    for key in keys:
        request = spooled(message_of([wire_span(trace_id, 1, name=key.project)]), key.project)
        store.spans.append([request])
        run = replace(
            make_trajectory(key, steps=[CALL], agent=key.project),
            extras={"conversation_id": f"talk {trace_id}"},
            dialects=[f"dialect {trace_id}"],
            pauses=[Pause(CALL.id, CALL.id, "ok?")],
            extractor_version=key.project,
        )
        record = make_record(key, run, call_keys={CALL.id: f"call {trace_id}"})
        document = encode_document(run, 1, Status.SETTLED)
        verdict = SpanVerdict(
            *(f"{1:016x}", "", key.project, Kind.AGENT, f"{1:016x}", "d", "r"),
            *(run.root.start_ns, run.root.end_ns),
        )
        spans = encode_spans(replace(run, verdicts=[verdict]))
        store.trajectories.write([replace(record, document=document, spans_document=spans)])
        store.text_index.index_texts([key])
        built = Progress(key, request.seq, Status.SETTLED, is_whole=True)
        store.progress.record_progress([built])
        replay = Replay(f"{next_seq():016x}", Selection(Reach.only(key.project)), 1)
        store.replays.record(replay)
        replays[key.project] = replay.id
        store.feed.announce([Announcement(key, record.version, record.status, START_NS)])
        answers[key.project] = _answer(store, key)
        _annotate(store, key)
        store.scores.add([Score(_absent(key), "early", "api", key.project, 1)])
        store.spans.append([content_event(_waiting(key), 1, key.project, 7, RESULT)])
    mine_key, theirs_key = keys
    return Twins(store, mine_key, theirs_key, replays, answers)


def _queue(project: str) -> Queue:
    return Queue(project, "q", SCHEME, [project])


def _view(key: TraceKey) -> SavedView:
    """Return a view with the same id as the other project's view."""
    return SavedView(key.project, key.trace_id, "runs", key.project, owner=key.project)


def _collect(store: Store, project: str) -> None:
    """Create a dataset with one item in its draft and one in a version.

    Names are the same in all projects.
    """
    sets, at = store.datasets, (project, "d")
    sets.put(Dataset(*at, description=project))
    sets.add_contents(*at, {"h": project.encode()})
    sets.change_draft(*at, [DraftItem(project, "h", 1, 1)])
    sets.add_version(*at, DatasetVersion(1, "v", 1, made_by=project), [ItemPlace(project, "h", 1)])


def _experiment(store: Store, key: TraceKey) -> None:
    """Start an experiment of one run, with a score; the names are equal in all projects."""
    store.evaluators.add(key.project, StoredEvaluator("e", 1, "h", "{}", key.project))
    made = Experiment(key.project, "x", "i", "{}", started_by=key.project)
    store.experiments.start(made, [key.project])
    store.experiments.end(key.project, "ended", ExperimentEnd("failed", key.project))
    score = Score(key, "path", "rule", key.project, 1, experiment="x", item=key.project)
    store.scores.add([score])


def _fired(key: TraceKey) -> AlertEvent:
    """Return the event of an alert for a run; its id is the same in the other project."""
    return AlertEvent(key.project, "a", 1, "same", 1, AlertState.FIRING, 1, key.trace_id, 1)


def _no_run(key: TraceKey) -> TraceKey:
    return key._replace(trace_id="")


def _watch(store: Store, key: TraceKey) -> None:
    """Create an alert with two events and a delivery; names are the same in all projects."""
    of_number = replace(_fired(key), id=f"number of {key.project}", trace_id="", group=[1])
    store.alerts.put(Alert(key.project, "a", 1, 1, put_by=key.project))
    shown = RunEvidence(key, _fired(key).id, 1, {"name": key.project})
    store.alerts.add_events([_fired(key), of_number], [shown])
    told = Delivery(key.project, "a", "same", 1, "c", DeliveryState.PENDING, 1, error=key.project)
    store.alerts.add_deliveries([told])


def _rule(store: Store, key: TraceKey) -> None:
    """Create an online rule with work and a walk; names are the same in all projects."""
    rules = store.online_rules
    rules.put(OnlineRule(key.project, "r", where=key.project))
    judged = Work(key, "r", 1, 1, 1, 1, calls=_number(key.project), judged_us=1, is_judged=True)
    own = replace(judged, key=key._replace(trace_id=_own_ids(key)[0]), rule="own")
    rules.add_work([judged, own, Work(key, "r", 2, 1, 1, 1, state=WorkState.DONE)])
    rules.place(WalkPlace(key.project, "r", Walk.BACKFILL, key.project))


def _own_ids(key: TraceKey) -> list[str]:
    """Return the id of the trace that a rule judges in this project alone."""
    return [f"{_number(key.project):032x}"]


def _number(project: str) -> int:
    return crc32(project.encode()) % 1_000


def _shared(project: str) -> Queue:
    """Return a queue whose item two annotators of the project judge."""
    return Queue(project, "shared", SCHEME, [project])


def _annotate(store: Store, key: TraceKey) -> None:
    """Annotate a run as an annotator named like the project, and queue it."""
    store.annotations.add([annotation(key, annotator=key.project, write_id="same")])
    store.schemes.put(StoredScheme(key.project, SCHEME, "h", 1, key.project, key.project))
    store.versions.keep(KeptVersion(key, 1, "h", _kept_at(key), key.project.encode()))
    store.queues.put(_queue(key.project))
    store.saved_views.add(_view(key))
    page = key.project  # defaults are returned by page, so two of one page would hide each other
    store.saved_views.set_default(key.project, page, key.project, 1)
    _collect(store, key.project)
    _experiment(store, key)
    _watch(store, key)
    _rule(store, key)
    store.queues.add_items(_queue(key.project), [QueueItem(key.project, 1)])
    second = f"second of {key.project}"
    said = annotation(key, annotator=second, write_id="second", correctness=key.project)
    store.annotations.add([said])
    store.queues.add_items(_shared(key.project), [QueueItem(key.trace_id, 1)])
    event = QueueEvent(key.trace_id, key.project, 1, Event.BEGUN)
    store.queues.add_events(_queue(key.project), [event])


def _answer(store: Store, key: TraceKey) -> str:
    """Store a run that resumes the run of this trace.

    Return its trace id, unique to the project.
    """
    resumed = TraceKey(key.project, md5(str(key).encode(), usedforsecurity=False).hexdigest())
    run = replace(
        make_trajectory(resumed, START_NS + 1),
        extras={"conversation_id": f"talk {key.trace_id}"},
        is_resuming=True,
    )
    document = encode_document(run, 1, Status.SETTLED)
    store.trajectories.write([replace(make_record(resumed, run), document=document)])
    return resumed.trace_id


Seen = set[str]
"""The names of the projects that were visible."""


def _of_text(text: bytes | None, twins: Twins) -> Seen:
    return {name for name in twins.names if name.encode() in (text or b"")}


def _selection(twins: Twins, reach: Reach) -> Selection:
    return Selection(reach, dialect=f"dialect {twins.mine.trace_id}")


def _counted(twins: Twins, reach: Reach, count: int) -> Seen:
    return set(sorted(twins.names)[:count]) if reach.is_every else _own(reach, count)


def _extent(twins: Twins, reach: Reach) -> Seen:
    """Return the projects of traces that a deletion of the common trace by id would delete."""
    scope = DeletionScope(reach, trace_id=twins.mine.trace_id)
    return _counted(twins, reach, twins.store.deletions.extent_of(scope, 1 << 62).traces)


def _steps(twins: Twins, reach: Reach) -> Seen:
    """Return the projects of steps read from the start and after the first step of each twin."""
    of_both = filtered(conversation=twins.conversation)
    rows = twins.store.steps.list(Reach.ALL, of_both, EVERY)
    places = [row.cursor for row in rows if row.row.position == 0]
    pages = [twins.store.steps.list(reach, of_both, EVERY, after) for after in (None, *places)]
    if any(len({row.cursor for row in page}) < len(page) for page in pages):
        return {"one step twice"}
    return {row.key.project for page in pages for row in page}


def _top_steps(twins: Twins, reach: Reach) -> Seen:
    """Return the projects of steps ordered by a value."""
    asked = StepSelection(order=parse_order("-duration", Subject.STEP))
    of_both = filtered(conversation=twins.conversation)
    return {row.key.project for row in twins.store.steps.list(reach, of_both, EVERY, None, asked)}


def _own(reach: Reach, count: int) -> Seen:
    """Return the reader's projects if ``count`` is 1, because more traces cannot be its own."""
    return set(reach.projects) if count == 1 else set() if not count else {"too many"}


RUNS_BY_PROJECT = Numbers(
    Subject.RUN, parse_metrics("count", Subject.RUN), parse_by("project", Subject.RUN)
)
WITHIN_REACH: Mapping[str, Callable[[Twins, Reach], Seen]] = {
    "documents.get": lambda t, reach: _of_text(t.store.documents.get(t.mine.trace_id, reach), t),
    "documents.spans": lambda t, reach: _of_text(
        t.store.documents.spans(t.mine.trace_id, reach), t
    ),
    "documents.both": lambda t, reach: _of_text(
        b"".join(t.store.documents.both(t.mine.trace_id, reach) or ()), t
    ),
    "documents.versions": lambda t, reach: {
        kept.extractor_version for kept in t.store.documents.versions(t.mine.trace_id, reach)
    },
    "spans.find_home": lambda t, reach: {
        home.project for home in (t.store.spans.find_home(t.mine.trace_id, reach),) if home
    },
    "runs.list": lambda t, reach: {
        line.key.project
        for line in t.store.runs.list(reach, filtered(conversation=t.conversation), EVERY)
    },
    "runs.matching_among": lambda t, reach: {
        key.project
        for key in t.store.runs.matching_among(
            [t.mine, t.theirs], reach, parse_where("steps >= 0", 0)
        )
    },
    "runs.matching_each": lambda t, reach: {
        key.project
        for key in t.store.runs.matching_each(
            [t.mine, t.theirs], reach, [parse_where("steps >= 0", 0)]
        )[0]
    },
    "steps.list": lambda t, reach: _steps(t, reach) | _top_steps(t, reach),
    "stats.numbers": lambda t, reach: {
        str(group.by[0])
        for group in t.store.stats.numbers(
            reach, filtered(conversation=t.conversation), RUNS_BY_PROJECT
        )
    },
    "stats.shapes": lambda t, reach: {
        shape.project
        for shape in t.store.stats.shapes(reach, filtered(conversation=t.conversation), EVERY)
    },
    "runs.conversation": lambda t, reach: {
        line.key.project for line in t.store.runs.conversation(t.conversation, reach, None, EVERY)
    },
    "conversations.list": lambda t, reach: {
        talk.item.project
        for talk in t.store.conversations.list(reach, None, EVERY)
        if talk.item.conversation_id == t.conversation
    },
    "feed.announced": lambda t, reach: {
        announcement.key.project
        for announcement in t.store.feed.announced(reach, None, Position(), EVERY).announcements
        if announcement.key.trace_id == t.mine.trace_id
    },
    "texts.search": lambda t, reach: {
        hit.hit.project for hit in t.store.texts.search(reach, SAID, EVERY)
    },
    "annotations.list": lambda t, reach: {
        row.slot.key.project
        for row in t.store.annotations.list(reach, AnnotationQuery(t.mine.trace_id), EVERY)
    },
    "schemes.list": lambda t, reach: {
        s.project for s in t.store.schemes.list(reach) if s.project in t.names
    },
    "scores.list": lambda t, reach: {
        s.key.project
        for asked in (
            ScoreQuery([t.mine.trace_id]),
            ScoreQuery([t.absent], orphans_before_us=2**62),
        )
        for s in t.store.scores.list(reach, asked, EVERY)
    },
    "experiments.running": lambda t, reach: {
        one.project for one in t.store.experiments.running(reach) if one.project in t.names
    },
    "queues.list": lambda t, reach: {
        q.project for q in t.store.queues.list(reach) if q.project in t.names
    },
    "online_rules.list": lambda t, reach: {
        rule.where for rule in t.store.online_rules.list(reach, "r") if rule.where in t.names
    },
    "online_rules.places": lambda t, reach: {
        p.wanted for p in t.store.online_rules.places(reach) if p.wanted in t.names
    },
    "replays.count_traces": lambda t, reach: _counted(
        t, reach, t.store.replays.count_traces(_selection(t, reach))
    ),
    "deletions.extent_of": _extent,
    "replays.traces_after": lambda t, reach: {
        found.key.project
        for found in t.store.replays.traces_after(_selection(t, reach), BEFORE_ALL, EVERY)
    },
    "replays.get": lambda t, reach: {
        name for name, replay_id in t.replays.items() if t.store.replays.get(replay_id, reach)
    },
    "replays.list": lambda t, reach: {
        name
        for replay in t.store.replays.list(reach, EVERY)
        for name in replay.selection.reach.projects
    },
    "replays.unfinished": lambda t, reach: {
        name
        for replay in t.store.replays.unfinished(reach)
        for name in replay.selection.reach.projects
    },
}
"""The reading methods with a reach parameter."""
COUNTING = {"replays.count_traces", "deletions.extent_of"}
"""Methods that return counts, not rows."""


def _absent(key: TraceKey) -> TraceKey:
    return key._replace(trace_id=key.trace_id[::-1])


def _waiting(key: TraceKey) -> TraceKey:
    return key._replace(trace_id=trace_of_response(key.trace_id))


def _kept(twins: Twins, key: TraceKey) -> bytes:
    kept = twins.store.versions.get(key, 1)
    return kept.document if kept and kept.at_us == _kept_at(key) else b""


def _kept_at(key: TraceKey) -> int:
    return crc32(key.project.encode())


def _scheme(twins: Twins, key: TraceKey) -> bytes:
    found = twins.store.schemes.text(key.project, SCHEME, "h")
    return found.text.encode() if found else b""


OF_A_KEY: Mapping[str, Callable[[Twins, TraceKey], Seen]] = {
    "spans.arrived": lambda t, key: {found.project for found in t.store.spans.arrived([key])},
    "spans.read_ids": lambda t, key: {found.project for found in t.store.spans.read_ids([key])},
    "spans.whole_builds": lambda t, key: {
        found.project for found in t.store.spans.whole_builds([key])
    },
    "spans.read_spans": lambda t, key: {
        span.name for spans in t.store.spans.read_spans([key]).values() for span in spans
    },
    "spans.read_part": lambda t, key: {
        span.name for span in t.store.spans.read_part(key, 10).spans
    },
    "spans.read_otlp": lambda t, key: _of_text(t.store.spans.read_otlp(key), t),
    "progress.read_progress": lambda t, key: {
        found.project for found in t.store.progress.read_progress([key])
    },
    "runs.continuation": lambda t, key: {
        name
        for name, trace_id in t.answers.items()
        if trace_id == t.store.runs.continuation(key).resumed_by
    },
    "trajectories.heads": lambda t, key: {
        found.project for found in t.store.trajectories.heads([key])
    },
    "annotations.revisions": lambda t, key: {
        row.slot.key.project
        for who in t.names
        for row in t.store.annotations.revisions(key, SCHEME, who)
    },
    "annotations.written": lambda t, key: {
        row.slot.annotator for row in t.store.annotations.written(key, ["same"])
    },
    "scores.of_traces": lambda t, key: {
        score.key.project for score in t.store.scores.of_traces([key])
    },
    "scores.without_run": lambda t, key: {
        found.project for found in t.store.scores.without_run([key._replace(trace_id=t.absent)])
    },
    "spans.read_unplaced": lambda t, key: {
        one.event.attributes["content"]
        for found in t.store.spans.read_unplaced([_waiting(key)]).values()
        for one in found
    },
    "documents.many": lambda t, key: _of_text(t.store.documents.many([key], 1 << 20)[0], t),
    "versions.get": lambda t, key: _of_text(_kept(t, key), t),
    "versions.list": lambda t, key: (
        {key.project}
        if [kept.at_us for kept in t.store.versions.list(key)] == [_kept_at(key)]
        else {"others"}
    ),
    "versions.has": lambda t, key: {key.project} if t.store.versions.has(key, 1) else set(),
    "versions.current": lambda t, key: {key.project} if t.store.versions.current(key) else set(),
    "versions.currents": lambda t, key: {
        found.project for found in t.store.versions.currents([key])
    },
    "schemes.text": lambda t, key: _of_text(_scheme(t, key), t),
    "queues.items": lambda t, key: (
        {key.project} if len(t.store.queues.items(_queue(key.project))) == 1 else {"too many"}
    ),
    "queues.alike": lambda t, key: (
        {key.project}
        if t.store.queues.alike(_shared(key.project)) == {key.trace_id: Alike(1, 0)}
        else {"others too"}
    ),
    "saved_views.list": lambda t, key: {
        view.name for view in t.store.saved_views.list(key.project)
    },
    "saved_views.defaults": lambda t, key: set(t.store.saved_views.defaults(key.project).values()),
    "online_rules.work_of": lambda t, key: {
        work.key.project for work in t.store.online_rules.work_of([key])
    },
    "online_rules.waiting": lambda t, key: {
        work.key.project
        for work in t.store.online_rules.waiting(
            ALL, 1, EVERY, {(key.project, "r")}, {WorkState.PENDING}
        )
    },
    "online_rules.progress": lambda t, key: (
        {key.project}
        if t.store.online_rules.progress(key.project, "r") == {"r": RuleProgress(done=1)}
        else {"others too"}
    ),
    "online_rules.spent": lambda t, key: (
        {key.project}
        if t.store.online_rules.spent(key.project, "r", 1).calls == _number(key.project)
        else {"others too"}
    ),
    "online_rules.judged_before": lambda t, key: (
        {key.project}
        if t.store.online_rules.judged_before(key.project, "own", 2, "", 9) == _own_ids(key)
        else {"others too"}
    ),
    "datasets.list": lambda t, key: {
        one.description for one in t.store.datasets.list(key.project, "d")
    },
    "datasets.draft": lambda t, key: set(t.store.datasets.draft(key.project, "d")),
    "datasets.count_drafts": lambda t, key: (
        {key.project} if t.store.datasets.count_drafts(key.project) == {"d": 1} else {"others"}
    ),
    "datasets.versions": lambda t, key: {
        one.made_by for one in t.store.datasets.versions(key.project)["d"]
    },
    "datasets.items": lambda t, key: {
        one.key
        for version in ("v", "")
        for one in t.store.datasets.items(key.project, "d", version, "", 9)
    },
    "datasets.contents": lambda t, key: {
        one.decode() for one in t.store.datasets.contents(key.project, "d", ["h"]).values()
    },
    "evaluators.list": lambda t, key: {
        one.put_by for one in t.store.evaluators.list(key.project, "e")
    },
    "experiments.list": lambda t, key: {
        one.started_by for one in t.store.experiments.list(key.project, "x")
    },
    "experiments.runs": lambda t, key: set(t.store.experiments.runs(key.project, "i", 0, 9)),
    "experiments.ends": lambda t, key: {
        end.reason for end in t.store.experiments.ends(key.project).values()
    },
    "experiments.counts": lambda t, key: (
        {key.project}
        if t.store.experiments.counts(key.project) == {"x": ExperimentCounts(1, 0)}
        else {"others too"}
    ),
    "experiments.judged": lambda t, key: {
        one.item for one in t.store.experiments.judged(key.project, "x", sorted(t.names))
    },
    "experiments.results": lambda t, key: {
        score.author for score in t.store.experiments.results(key.project, "x", 9)
    },
    "alerts.list": lambda t, key: {
        one.put_by for one in t.store.alerts.list(Reach.only(key.project))
    },
    "alerts.versions": lambda t, key: {
        one.put_by for one in t.store.alerts.versions(key.project, "a")
    },
    "alerts.latest": lambda t, key: {
        event.project for event in t.store.alerts.latest([key, _no_run(key)])
    },
    "alerts.latest_numbers": lambda t, key: {
        event.project for event in t.store.alerts.latest_numbers(Reach.only(key.project))
    },
    "alerts.firing": lambda t, key: {
        project for project, _ in t.store.alerts.firing(Reach.only(key.project))
    },
    "alerts.events": lambda t, key: {
        event.project for event in t.store.alerts.events(key.project, "a", EventsQuery(), 9, None)
    },
    "alerts.shown": lambda t, key: {
        shown["name"] for shown in t.store.alerts.shown([_fired(key)]).values()
    },
    "alerts.deliveries": lambda t, key: {
        one.error for one in t.store.alerts.deliveries(key.project, "a", ["same"])
    },
    "queues.events": lambda t, key: {
        event.annotator
        for event in t.store.queues.events(_queue(key.project))
        if event.trace_id == key.trace_id
    },
    "calls.find": lambda t, key: {
        call.key.project
        for call in t.store.calls.find(
            key.project, windows([f"call {key.trace_id}"], START_NS, START_NS + 1000)
        )
    },
    "calls.find_parts": lambda t, key: {
        call.key.project
        for call in t.store.calls.find_parts(
            key.project, windows([f"call {key.trace_id}"], START_NS, START_NS + 1000), 10
        )
    },
}
"""The reading methods whose arguments name the project."""

OF_THE_EXTRACTOR = {
    *("progress.clock", "text_index.clock"),
    "progress.appends",
    "text_index.writes",
    "progress.inserted",
    "progress.changes_since",
    *("progress.unextracted", "progress.overlooked", "progress.present"),
    "progress.unfinished",
    "progress.quarantined",
    "progress.read_watermark",
    "replays.parts",
    *("text_index.changed_since", "text_index.read_watermark"),
}
"""Methods that only the extractor and similar components call, for all projects."""

NOT_READING = {
    "spans.parts_shown",  # returns ids; read_otlp reads only the project's
    "spans.append",
    *("trajectories.write", "trajectories.confirm", "trajectories.make_room"),
    *("feed.announce", "feed.announce_missing"),
    "deletions.now_ns",  # returns a time
    "feed.deleted_among",  # about rows that the reader has received
    *("progress.record_progress", "progress.record_revisits"),
    *("progress.record_watermark", "progress.record_watermarks"),
    *("text_index.index_texts", "text_index.record_watermark"),
    *("replays.record", "replays.finish"),
    "ping",
    "snapshots.take",
    *("annotations.add", "schemes.put", "versions.keep", "scores.add"),
    *("queues.put", "queues.add_items", "queues.add_events"),
    *("saved_views.add", "saved_views.set_default"),
    *("online_rules.put", "online_rules.add_work", "online_rules.place"),
    *("followers.place", "followers.keep_place"),  # positions of the service itself
    *("alerts.put", "alerts.add_events", "alerts.add_deliveries"),
    *("alerts.pending", "alerts.firing_of_deleted"),  # for components that deliver all alerts
    *("datasets.put", "datasets.add_contents", "datasets.change_draft", "datasets.add_version"),
    *("evaluators.add", "experiments.start", "experiments.end"),
    *("annotations.announcing_judgements", "annotations.is_alone"),
    "close",
    "usage.stored_bytes",  # for quotas; callers get only their own projects
    *(
        "deletions.delete",
        "deletions.list",
    ),  # have a scope instead of a reader: see api/admin/deletions
}


GIVING_ONE = (
    "documents.get",
    "documents.spans",
    "documents.both",
    "documents.versions",
    "spans.find_home",
)
"""Methods that return the newest project's data if there are several."""


def check_isolation(twins: Twins, methods: Collection[str] | None = None) -> None:
    """Raise ``AssertionError`` if a reader sees another project, or not its own.

    Checks all reading methods, or the named methods.
    """
    for name, seen in WITHIN_REACH.items():
        if methods is not None and name not in methods:
            continue
        for project in twins.names:
            found = seen(twins, Reach.only(project))
            assert found == {project}, f"{name} within {project}: {found}"
        assert not seen(twins, Reach.only()), name
        assert seen(twins, Reach.ALL) & twins.names, name
        if name not in GIVING_ONE:
            assert seen(twins, Reach.only(*twins.names)) >= twins.names or name in COUNTING
    for name, seen_of in OF_A_KEY.items():
        if methods is not None and name not in methods:
            continue
        for key in (twins.mine, twins.theirs):
            found = seen_of(twins, key)
            assert found == {key.project}, f"{name} of {key.project}: {found}"
