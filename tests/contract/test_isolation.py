"""No reader sees another project's data, and every predicate that ensures this is needed."""

from __future__ import annotations

import inspect
import re
import secrets
import types
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.support import (
    isolation,
    memory_annotations,
    memory_deletions,
    memory_queues,
    memory_replays,
    memory_runs,
    memory_scores,
    memory_spans,
    memory_state,
    memory_texts,
    memory_trajectories,
)
from tests.support.isolation import check_isolation, make_twins
from tests.support.memory_store import MemoryStore
from tests.support.subjects import port_methods

from spanloom.core.model.access import Reach
from spanloom.storage.engine import connection
from spanloom.storage.engine.remembered import Remembered
from spanloom.storage.engine.statements import query, query_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.support.isolation import Twins

    from spanloom.core.ports.store import Store
    from spanloom.storage.store import ClickHouseStore

KEYED = "(Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')"
BY_TRACE = (
    "TraceId IN arrayMap(k -> k.2, JSONExtract({keys:String}, 'Array(Tuple(String, String))'))"
)
PREDICATES = {
    "{reach}": "true",
    KEYED: BY_TRACE,
    "Project = {project:String}": "{project:String} != ''",
}
"""Each predicate on the project in a query, and its replacement that allows any project."""

NOT_SEEN = {
    "count_spans": "decides only how the same spans are read",
    "read_events": "its rows are joined to spans by key",
    "newest_versions": "its rows are looked up by key",
    **dict.fromkeys(("newest_builds", "reserved_builds"), "its rows are looked up by key"),
    "stored_runs": "its rows are looked up by key",
    "announcements_of": "compared by key with what a reader is shown, or the extractor stored",
    "last_of_part": "its answer is a place, in a trace that read_part names",
    "read_part": "its rows are looked up by key",
    "parts_shown": "names traces, of which read_otlp reads the project's own",
    "part_with_span": "names a trace, of which read_otlp reads the project's own",
    "read_part_events": "its rows are joined to spans by key",
    "deleted_keys": "what it names hides rows of that project alone",
    "deleted_trace": "what it names hides rows of that project alone",
    "conversation_neighbours": "its rows are looked up by key, and told apart by project",
    "conversation_keys": "its rows are looked up by key",
    "conversation_page": "conversations that were not asked for are left out",
    "current_texts": "its rows are looked up by key",
    "text_hashes": "its rows are looked up by key",
    **dict.fromkeys(("documents", "document_sizes"), "its rows are looked up by key"),
    "text_documents": "its rows are looked up by key",
    **dict.fromkeys(("text_place", "text_slice"), "of long runs alone: test_texts indexes twins"),
    "kept_version": "its document is looked up by project too",
    "kept_versions": "its rows are looked up by key",
    "kept_hash": "decides only whether the same document is stored twice",
    "current_version": "tells a number, which the project's own document confirms",
    "find_calls": "newest_versions says, within the project, what of it counts",
    "find_calls_near": "newest_versions says, within the project, what of it counts",
    "known_call_keys": "find_calls is asked for what it found",
    "uncovered": "tells a number, of a trace whose other rows are not read either",
    **dict.fromkeys(
        ("parts_elsewhere", "repeats_of"),
        "a deletion compares what it found with its own traces, by project",
    ),
}
"""Queries whose results no caller gets; their predicate on the project only saves work."""
NOT_BY_PROJECT = {
    "revisit_traces": "writes, of traces named with their project",
    "newest_places": "of places in the list of traces named with their project",
    "latest_alert_events": "of traces named with their project",
    **dict.fromkeys(
        ("untold_alert_events", "firing_of_deleted"), "of those who tell alerts of all"
    ),
    "online_waiting": "the judges', of rules named with their project",
    "revisit_changes": "writes, of traces named with their project",
    "present": "compares changes of traces named with their project",
    "overlooked": "the extractor's feed",
    "read_keys": "whoever authenticates needs the keys of every project",
    "inserted": "the extractor's feed",
    "changed_since": "the indexer's feed",
    "indexed_texts": "the indexer's, of places that text_hashes named",
    "step_rows": "of versions that list_candidates or top_steps named within the reach",
    "read_texts": "of places that text_candidates named within the reach",
    "changes_since": "the extractor's feed",
    "unfinished": "the extractor's feed",
    "unextracted": "the extractor's feed",
    "quarantined": "the extractor's own list",
    "read_replay_parts": "of replays that were read within the reach",
    "finish_replay": "writes, of a replay named by its id",
    "unpriced": "doctor names models of all projects",
    "stored_bytes": "the quotas know every project; a sender or reader is told of its own alone",
    "read_deletions": "the audit, which needs a key of all projects",
    **dict.fromkeys(("deleted_datasets", "remove_of_datasets"), "the keeper's"),
    "count_deleted_rows": "the keeper's",
    "remove_deleted_rows": "the keeper's",
    "torn_by_deleted": "the keeper's, told apart by project",
    "count_expired_rows": "the keeper's",
    "count_to_keep_rows": "the keeper's",
    "keep_rows": "the keeper's",
    "remove_expired_rows": "the keeper's",
}
PLACES = [
    (name, predicate)
    for name in sorted(query_files())
    for predicate in PREDICATES
    if predicate in query(name) and name not in NOT_SEEN
]


def _twins(store: Store) -> Twins:
    mine, theirs = f"p-{secrets.token_hex(4)}", f"p-{secrets.token_hex(4)}"
    return make_twins(store, mine, theirs, secrets.token_hex(16))


@pytest.fixture(scope="module")
def clickhouse_twins(clickhouse_store: ClickHouseStore) -> Twins:
    return _twins(clickhouse_store)


def ask_again(_: object, __: object, read: Callable[[], object]) -> object:
    """Replace ``Remembered.get`` without its cache, so that every read runs its query."""
    return read()


@pytest.fixture(scope="module")
def asking(clickhouse_twins: Twins) -> Mapping[str, set[str]]:
    """Return the methods that run each query, by the name of the query."""
    found: dict[str, set[str]] = {}

    def recorded(asked: str, method: str) -> str:
        found.setdefault(asked, set()).add(method)
        return query(asked)

    for method in (*isolation.WITHIN_REACH, *isolation.OF_A_KEY):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connection, "query", partial(recorded, method=method))
            patch.setattr(Remembered, "get", ask_again)
            check_isolation(clickhouse_twins, [method])
    return found


def test_every_reading_method_has_its_case() -> None:
    own = {*isolation.WITHIN_REACH, *isolation.OF_A_KEY}
    assert port_methods().keys() - own - isolation.OF_THE_EXTRACTOR - isolation.NOT_READING == set()


@pytest.mark.parametrize("name", sorted(isolation.WITHIN_REACH))
def test_a_reach_is_required(name: str) -> None:
    parameters = inspect.signature(port_methods()[name]).parameters
    wanted = [p for p in parameters.values() if p.name in ("reach", "selection", "scope")]
    assert [p.default for p in wanted] == [inspect.Parameter.empty]


def test_a_reader_sees_its_own_project_alone(store: Store) -> None:
    check_isolation(_twins(store))


def test_every_query_of_a_table_with_projects_names_the_project() -> None:
    named = {name for name, _ in PLACES} | set(NOT_SEEN) | set(NOT_BY_PROJECT)
    of_projects = {name for name in query_files() if "Project" in query(name)}
    assert of_projects - named == set()


@pytest.mark.parametrize(("name", "predicate"), PLACES)
def test_without_the_project_in_a_query_somebody_would_see_too_much(
    clickhouse_twins: Twins,
    asking: Mapping[str, set[str]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    predicate: str,
) -> None:
    without = query(name).replace(predicate, PREDICATES[predicate])
    monkeypatch.setattr(
        connection, "query", lambda asked: without if asked == name else query(asked)
    )
    monkeypatch.setattr(Remembered, "get", ask_again)
    with pytest.raises(AssertionError):
        check_isolation(clickhouse_twins, asking[name])


MEMORY_PLACE = re.compile(r"(?:(?:selection|scope)\.)?\breach\.(covers|includes)\([\w.]+\)")
MEMORY_PLACES = [
    pytest.param(module, found.span(), id=f"{module.__name__.rpartition('.')[2]}-{number}")
    for module in (
        *(memory_state, memory_trajectories, memory_texts),
        *(memory_replays, memory_deletions, memory_annotations),
        *(memory_runs, memory_queues, memory_scores, memory_spans),
    )
    for number, found in enumerate(MEMORY_PLACE.finditer(inspect.getsource(module)))
]


@pytest.mark.parametrize(("module", "place"), MEMORY_PLACES)
def test_without_the_project_in_memory_somebody_would_see_too_much(
    monkeypatch: pytest.MonkeyPatch, module: types.ModuleType, place: tuple[int, int]
) -> None:
    source = inspect.getsource(module)
    mutated = types.ModuleType("mutated")
    exec(source[: place[0]] + "True" + source[place[1] :], mutated.__dict__)  # noqa: S102  # our own
    for name, function in functions_of(mutated, "mutated"):
        original = dict(functions_of(module, module.__name__))[name]
        monkeypatch.setattr(original, "__code__", function.__code__)
    with pytest.raises(AssertionError):
        check_isolation(_twins(MemoryStore()))


def functions_of(module: types.ModuleType, name: str) -> Iterator[tuple[str, types.FunctionType]]:
    """Yield the functions and methods that the module of this name defines."""
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) else (value,)
        for member in members:
            if isinstance(member, types.FunctionType) and member.__module__ == name:
                yield member.__qualname__, member


def test_a_reach_narrows_and_never_widens() -> None:
    own = Reach.only("a", "b")
    assert own.narrowed(None) == own
    assert own.narrowed("a") == Reach.only("a")
    assert own.narrowed("c") == Reach.only()
    assert Reach.ALL.narrowed("c") == Reach.only("c")
    assert not Reach.only().covers("")
    assert Reach.ALL.includes(own)
    assert not own.includes(Reach.ALL)
    assert not Reach.only("a").includes(own)
