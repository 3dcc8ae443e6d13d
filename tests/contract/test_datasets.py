"""Datasets: drafts that are filled, versions that never change, and concurrent commits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any, cast

import pytest

from spanloom.datasets import service
from spanloom.datasets.service import DatasetRefusedError, Datasets, UnknownDatasetError
from spanloom.evaluation.contract.errors import InvalidEvaluatorError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.dataset import DatasetVersion, ItemPlace
    from spanloom.core.ports.datasets import DatasetStore
    from spanloom.core.ports.store import Store

NAME = "trips"


@pytest.fixture
def project(new_project: Callable[[], str]) -> str:
    return new_project()


@pytest.fixture
def datasets(store: Store, project: str) -> Datasets:
    made = Datasets(store.datasets)
    made.put(project, NAME, "Trips to book", None, "ada")
    return made


def item(key: str, **members: Any) -> dict[str, Any]:
    return {"item_key": key, "input": f"{key}?", "expected": {"response": key}, **members}


def keys(datasets: Datasets, project: str, version: int | None = None) -> list[str]:
    found = datasets.rows(project, NAME, datasets.version(project, NAME, version), "")
    return [row["item_key"] for row in found]


def test_a_dataset_comes_back_as_it_was_put(datasets: Datasets, project: str) -> None:
    kept = datasets.get(project, NAME)
    assert (kept.dataset.description, kept.dataset.put_by) == ("Trips to book", "ada")
    assert (kept.draft_items, list(kept.versions)) == (0, [])
    evaluators = [{"name": "path", "kind": "match"}]
    changed = datasets.put(project, NAME, None, evaluators, "bo")
    assert changed.dataset.description == "Trips to book"
    assert changed.dataset.evaluators == '[{"name":"path","kind":"match"}]'
    assert datasets.put(project, NAME, None, evaluators, "cy") == changed
    assert [one.dataset for one in datasets.listed(project)] == [changed.dataset]


def test_evaluators_that_cannot_be_meant_are_refused(datasets: Datasets, project: str) -> None:
    for evaluator in ({"kind": "mach"}, {"kind": "match", "mode": "x"}, {"kind": "python"}):
        with pytest.raises(InvalidEvaluatorError):
            datasets.put(project, NAME, None, [evaluator], "ada")
    assert datasets.get(project, NAME).dataset.evaluators == "[]"


def test_items_are_stored_once(datasets: Datasets, project: str) -> None:
    given = [item("b"), item("a", set="other"), item("b", input="later"), {"item_key": ""}, 7]
    taken = datasets.add(project, NAME, given)
    assert (taken.stored, taken.unchanged, len(taken.refused)) == (2, 1, 2)
    assert [one.item for one in taken.refused] == [3, 4]
    assert datasets.add(project, NAME, [item("a")]) == (0, 1, [])
    assert datasets.add(project, NAME, [item("a", splits=["x"])])[:2] == (1, 0)
    rows = datasets.page(project, NAME, "", "", 10).rows
    assert [(row["item_key"], row["input"], row["set"]) for row in rows] == [
        ("a", "a?", NAME),
        ("b", "later", NAME),
    ]


def test_an_item_keeps_every_sign(datasets: Datasets, project: str) -> None:
    odd = item("a/名 '\"\\\n", expected={"trajectory": {"id": "\u0000\ud7ff", "n": [1, 1.5, None]}})
    assert datasets.add(project, NAME, [odd]).stored == 1
    (row,) = datasets.page(project, NAME, "", "", 10).rows
    assert {name: row[name] for name in odd} == odd


def test_a_version_never_changes(datasets: Datasets, project: str) -> None:
    datasets.add(project, NAME, [item("a"), item("b")])
    first = datasets.commit(project, NAME, "ada")
    assert datasets.commit(project, NAME, "bo") == first
    datasets.add(project, NAME, [item("a", input="other"), item("c")])
    datasets.remove(project, NAME, "b")
    second = datasets.commit(project, NAME, "bo")
    assert [(v.version, v.items, v.made_by) for v in (first, second)] == [
        (1, 2, "ada"),
        (2, 2, "bo"),
    ]
    assert datasets.get(project, NAME).versions == [first, second]
    assert (keys(datasets, project, 1), keys(datasets, project, 2)) == (["a", "b"], ["a", "c"])
    rows = datasets.page(project, NAME, first.hash, "", 1)
    assert (rows.rows[0]["input"], rows.last) == ("a?", "a")
    with pytest.raises(UnknownDatasetError):
        datasets.version(project, NAME, 3)


def test_the_items_of_an_older_version_make_a_new_one(datasets: Datasets, project: str) -> None:
    hashes = []
    for text in ("one", "two", "one"):
        datasets.add(project, NAME, [item("a", input=text)])
        hashes.append(datasets.commit(project, NAME, "").hash)
    assert [v.version for v in datasets.get(project, NAME).versions] == [1, 2, 3]
    assert hashes[0] == hashes[2] != hashes[1]


def test_a_removed_item_can_come_back(datasets: Datasets, project: str) -> None:
    frozen = Datasets(datasets._store, lambda: 1_000)
    frozen.add(project, NAME, [item("a")])
    frozen.remove(project, NAME, "a")
    assert keys(frozen, project) == []
    with pytest.raises(UnknownDatasetError):
        frozen.remove(project, NAME, "a")
    with pytest.raises(DatasetRefusedError, match="no items"):
        frozen.commit(project, NAME, "")
    assert frozen.add(project, NAME, [item("a")]).stored == 1
    assert keys(frozen, project) == ["a"]


def test_pages_hold_so_many_bytes(
    datasets: Datasets, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PAGE_BYTES", 600)
    datasets.add(project, NAME, [item(str(n), input="x" * 250) for n in range(7)])
    page = datasets.page(project, NAME, "", "", 100)
    assert (len(page.rows), page.last) == (1, "0")
    assert keys(datasets, project) == [str(n) for n in range(7)]


def test_what_is_not_there_is_named(datasets: Datasets, project: str) -> None:
    for call in (
        lambda: datasets.get(project, "other"),
        lambda: datasets.add(project, "other", []),
        lambda: datasets.commit(project, "other", ""),
        lambda: datasets.remove(project, "other", "a"),
    ):
        with pytest.raises(UnknownDatasetError, match="'other'"):
            call()


def test_one_draft_committed_by_many_processes_is_one_version(
    store: Store, datasets: Datasets, project: str
) -> None:
    """Every process has found no version before any of them stores one."""
    processes = 6
    barrier = Barrier(processes)
    datasets.add(project, NAME, [item("a")])

    class Together:
        """The store; it adds a version only once all processes have looked."""

        def __getattr__(self, name: str) -> object:
            return getattr(store.datasets, name)

        def add_version(self, *version: Any) -> None:
            barrier.wait(30)
            store.datasets.add_version(*version)

    def commit(number: int) -> DatasetVersion:
        process = Datasets(cast("DatasetStore", Together()))
        return process.commit(project, NAME, f"annotator {number}")

    with ThreadPoolExecutor(processes) as pool:
        made = set(pool.map(commit, range(processes)))
    assert list(made) == datasets.get(project, NAME).versions
    assert keys(datasets, project, 1) == ["a"]


def test_the_number_that_another_process_took_is_not_taken_again(
    store: Store, datasets: Datasets, project: str
) -> None:
    datasets.add(project, NAME, [item("a")])

    class Meanwhile:
        """The store; another process stores its version first."""

        def __getattr__(self, name: str) -> object:
            return getattr(store.datasets, name)

        def add_version(
            self, where: str, name: str, mine: DatasetVersion, items: Sequence[ItemPlace]
        ) -> None:
            if mine.version == 1:
                theirs = mine._replace(hash="0" * 64, made_by="bo")
                store.datasets.add_version(where, name, theirs, [])
            store.datasets.add_version(where, name, mine, items)

    mine = Datasets(cast("DatasetStore", Meanwhile())).commit(project, NAME, "ada")
    assert (mine.version, mine.made_by) == (2, "ada")
    assert [v.made_by for v in datasets.get(project, NAME).versions] == ["bo", "ada"]
    assert keys(datasets, project, 2) == ["a"]


def test_a_deleted_dataset_is_nowhere_and_its_name_waits_for_the_keeper(
    datasets: Datasets, project: str
) -> None:
    datasets.put(project, "other", "", None, "ada")
    datasets.add(project, NAME, [item("oslo")])
    datasets.commit(project, NAME, "ada")
    datasets.delete(project, NAME, "bo")
    assert [one.dataset.name for one in datasets.listed(project)] == ["other"]
    calls: list[Callable[[], object]] = [
        lambda: datasets.get(project, NAME),
        lambda: datasets.add(project, NAME, [item("oslo")]),
        lambda: datasets.version(project, NAME, 1),
        lambda: datasets.commit(project, NAME, "ada"),
        lambda: datasets.delete(project, NAME, "ada"),
    ]
    for call in calls:
        with pytest.raises(UnknownDatasetError):
            call()
    with pytest.raises(DatasetRefusedError, match="being removed: try again"):
        datasets.put(project, NAME, "again", None, "ada")
