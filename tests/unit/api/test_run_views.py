"""Views of runs in the cache: which version of a run a reader is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import orjson

from spanloom.api.run_views import RunViews
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.outline.view import spans_of_document
from spanloom.core.ports.annotations import KeptAt, KeptVersion
from spanloom.core.ports.reading import Documents, ReadingStore, StoredVersion

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY = TraceKey("default", "4bf92f3577b34da6a3ce929d0e0e4736")
REACH = Reach.only("default")


def document(root_name: str, version: int) -> bytes:
    """Return the documented run with another version and another name of its agents."""
    made: dict[str, Any] = dict(canonical_example())
    made["agent_steps"] = [{**agent, "name": root_name} for agent in made["agent_steps"]]
    made["extraction"] = {**made["extraction"], "version": version}
    made["extraction"] = {"version": version} | made["extraction"]
    return orjson.dumps(made)


@dataclass
class OneRun:
    """A store with one run in one version, and with the kept versions of the run."""

    body: bytes
    version: int
    stored_at_ms: int
    kept: dict[int, KeptVersion] = field(default_factory=dict)
    read: int = 0

    def find_home(self, _trace_id: str, reach: Reach) -> TraceKey | None:
        return KEY if reach.covers(KEY.project) else None

    def versions(self, _trace_id: str, _reach: Reach) -> Sequence[StoredVersion]:
        return [StoredVersion(self.version, Status.SETTLED, self.stored_at_ms, "1", 1)]

    def both(self, _trace_id: str, _reach: Reach) -> Documents:
        self.read += 1
        spans = spans_of_document(orjson.loads(self.body))
        return Documents(self.body, orjson.dumps(spans))

    def list(self, _key: TraceKey) -> Sequence[KeptAt]:
        return [KeptAt(one.version, one.at_us) for one in self.kept.values()]

    def get(self, _key: TraceKey, version: int) -> KeptVersion | None:
        return self.kept.get(version)


def views_of(one: OneRun) -> RunViews:
    store = SimpleNamespace(spans=one, documents=one, versions=one)
    return RunViews(cast("ReadingStore", store))


def name_of(views: RunViews, version: int | None = None) -> str:
    found = views.view(KEY.trace_id, REACH, version)
    assert found is not None
    return found.rows[0].name


def test_a_run_that_was_deleted_and_sent_again_is_not_the_one_before() -> None:
    store = OneRun(document("before", 1), 1, 5)
    views = views_of(store)
    assert [name_of(views, 1), name_of(views, 1), store.read] == ["before", "before", 1]
    store.body, store.stored_at_ms = document("after", 1), 9_000
    assert [name_of(views, 1), name_of(views), store.read] == ["after", "after", 2]


def test_a_version_that_was_kept_is_read_from_its_document() -> None:
    body = document("third", 1)  # versions with equal content share the first one's document
    kept = {3: KeptVersion(KEY, 3, "h", 7_000, body)}
    views = views_of(OneRun(document("fourth", 4), 4, 5, kept))
    old = views.view(KEY.trace_id, REACH, 3)
    assert old is not None
    assert (old.version, old.rows[0].name) == (3, "third")
    assert [row.kind for row in old.rows][:3] == ["agent", "model", "tool"]
    assert name_of(views) == name_of(views, 4) == name_of(views, 2) == "fourth"
    whole = views.whole(KEY.trace_id, REACH, 3)
    assert whole is not None
    assert whole.view.version == 3
