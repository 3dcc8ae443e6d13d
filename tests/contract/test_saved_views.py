"""Saved views: revisions do not overwrite each other, and a page has one default at most."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING, cast

import pytest

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.names import MAX_NAME
from spanloom.core.model.saved_view import FORMAT, MOST_VIEWS, SavedView, ViewPage
from spanloom.saved_views.service import (
    ListedView,
    SavedViews,
    UnknownViewError,
    ViewContent,
    ViewRefusedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.saved_views import ViewStore
    from spanloom.core.ports.store import Store

NAMES = (
    "plain",
    "名 字",
    "\u202egnp.exe",
    "<b>bold</b> & 'quotes' \"\\",
    "\u0627\u0644\u0641\u0634\u0644",
)
WEEK = {"where": 'outcome = failed and input: "中文 \\n \'"', "order": "-cost", "since": "7d"}


@pytest.fixture
def project(new_project: Callable[[], str]) -> str:
    return new_project()


@pytest.fixture
def views(store: Store) -> SavedViews:
    return SavedViews(store.saved_views)


def made(views: SavedViews, project: str, name: str = "mine", page: str = "runs") -> SavedView:
    return views.make(project, page, ViewContent(name, WEEK), "ada").view


def test_a_view_comes_back_as_it_was_made(views: SavedViews, store: Store, project: str) -> None:
    views = SavedViews(store.saved_views, lambda: 1_700_000_000_000_001_000)
    view = made(views, project)
    assert views.listed(project) == [ListedView(view, is_default=False)]
    assert (view.parameters, view.owner, view.revision) == (WEEK, "ada", 1)
    assert (view.at_us, view.format) == (1_700_000_000_000_001, FORMAT)


def test_names_are_texts(views: SavedViews, project: str) -> None:
    for name in NAMES:
        made(views, project, name)
    assert [kept.view.name for kept in views.listed(project)] == sorted(NAMES)


def test_views_are_listed_by_page_and_name(views: SavedViews, project: str) -> None:
    for page in (ViewPage.STEPS, ViewPage.RUNS):
        for name in "ba":
            views.make(project, page, ViewContent(name, {}), "")
    found = [(kept.view.page, kept.view.name) for kept in views.listed(project)]
    assert found == [(page, name) for page in ("runs", "steps") for name in "ab"]
    assert [kept.view.name for kept in views.listed(project, "steps")] == ["a", "b"]
    assert views.listed(project, "overview") == []


def test_the_same_view_again_is_the_one_there(views: SavedViews, project: str) -> None:
    view = made(views, project)
    assert made(views, project) == view
    with pytest.raises(ViewRefusedError, match="already") as refused:
        views.make(project, "runs", ViewContent("mine", {}), "bo")
    assert [kept.view for kept in refused.value.current] == [view]
    assert made(views, project, page="overview").id != view.id


def test_a_change_names_what_it_saw(views: SavedViews, project: str) -> None:
    view = made(views, project)
    renamed = views.change(project, view.id, ViewContent("failures", WEEK), 1, "bo").view
    assert renamed == replace(
        view,
        name="failures",
        revision=2,
        changed_by="bo",
        at_us=renamed.at_us,
        change=renamed.change,
    )
    with pytest.raises(ViewRefusedError, match="bo has changed") as refused:
        views.change(project, view.id, ViewContent("errors", WEEK), 1, "ada")
    assert [kept.view for kept in refused.value.current] == [renamed]
    again = views.change(project, view.id, ViewContent("failures", WEEK), 1, "bo").view
    assert again == renamed  # the same change, sent again
    assert [kept.view for kept in views.listed(project)] == [renamed]


def test_of_two_changes_at_once_one_is_refused(store: Store, project: str) -> None:
    """Two processes store the same revision; the earlier one counts."""
    views = SavedViews(store.saved_views, lambda: 2_000_000)
    view = made(views, project)

    class Meanwhile:
        """The store; another process stores its change first."""

        def __getattr__(self, name: str) -> object:
            return getattr(store.saved_views, name)

        def add(self, mine: SavedView) -> None:
            store.saved_views.add(replace(mine, name="theirs", changed_by="bo", at_us=2, change=""))
            store.saved_views.add(mine)

    mine = SavedViews(cast("ViewStore", Meanwhile()), lambda: 3_000_000)
    with pytest.raises(ViewRefusedError, match="bo has changed"):
        mine.change(project, view.id, ViewContent("mine too", WEEK), 1, "ada")
    assert [kept.view.name for kept in views.listed(project)] == ["theirs"]
    later = replace(view, revision=2, name="late", at_us=9, change="z")
    store.saved_views.add(later)
    assert [kept.view.name for kept in views.listed(project)] == ["theirs"]


def test_a_name_is_of_one_view_of_a_page(views: SavedViews, project: str) -> None:
    made(views, project, "one")
    two = made(views, project, "two")
    with pytest.raises(ViewRefusedError, match="'one'"):
        views.change(project, two.id, ViewContent("one", WEEK), 1, "ada")


def test_a_deleted_view_is_gone(views: SavedViews, project: str) -> None:
    view = made(views, project)
    views.set_default(project, view.id, is_default=True)
    with pytest.raises(ViewRefusedError):
        views.delete(project, view.id, 7, "ada")
    views.delete(project, view.id, 1, "ada")
    assert views.listed(project) == []
    with pytest.raises(UnknownViewError):
        views.delete(project, view.id, 2, "ada")
    with pytest.raises(UnknownViewError):
        views.change(project, view.id, ViewContent("back", WEEK), 2, "ada")
    with pytest.raises(UnknownViewError):
        views.set_default(project, view.id, is_default=True)
    assert not views.make(project, "runs", ViewContent("mine", WEEK), "bo").is_default


def test_a_page_has_one_default(store: Store, project: str) -> None:
    ticks = iter(range(1_000_000, 10**9, 1_000_000))
    views = SavedViews(store.saved_views, lambda: next(ticks))
    one, two, three = (
        made(views, project, name, page)
        for name, page in (("one", "runs"), ("two", "runs"), ("three", "overview"))
    )

    def defaults() -> list[str]:
        return [kept.view.name for kept in views.listed(project) if kept.is_default]

    for view in (one, three, two):
        views.set_default(project, view.id, is_default=True)
    assert defaults() == ["three", "two"]
    views.set_default(project, one.id, is_default=False)  # it was no longer the default
    assert defaults() == ["three", "two"]
    views.change(project, two.id, ViewContent("renamed", WEEK), 1, "ada")
    assert defaults() == ["three", "renamed"]
    views.set_default(project, two.id, is_default=False)
    assert defaults() == ["three"]


def test_parameters_that_cannot_be_used_are_refused(views: SavedViews, project: str) -> None:
    for page, name, text in (
        ("runs", "where", "colour = red"),
        ("steps", "where", "colour = red"),
        ("steps", "run_where", "colour = red"),
        ("overview", "where", "outcome ="),
        ("runs", "order", "-colour"),
        ("steps", "order", "-tool_steps"),
        ("conversations", "since", "yesterday"),
    ):
        with pytest.raises(InvalidQueryError) as refused:
            views.make(project, page, ViewContent("wrong", {name: text}), "ada")
        assert refused.value.parameter == name
    assert views.listed(project) == []


def test_a_stale_view_says_so_and_can_be_renamed(
    views: SavedViews, store: Store, project: str
) -> None:
    stale = SavedView(project, "a" * 16, "runs", "old", {"where": "colour = red", "order": "-x"})
    store.saved_views.add(stale)
    (kept,) = views.listed(project)
    where, order = views.faults(kept.view)
    assert (where.parameter, order.parameter) == ("where", "order")
    assert "colour" in where.detail
    renamed = views.change(project, stale.id, ViewContent("older", stale.parameters), 1, "ada").view
    mended = views.change(project, stale.id, ViewContent("older", WEEK), 2, "ada").view
    assert (renamed.name, views.faults(mended)) == ("older", [])


def test_a_view_of_a_newer_format_is_only_listed_and_deleted(
    views: SavedViews, store: Store, project: str
) -> None:
    newer = SavedView(project, "b" * 16, "boards", "board", WEEK, format=FORMAT + 1)
    store.saved_views.add(newer)
    (kept,) = views.listed(project)
    assert kept.view == replace(newer, parameters=kept.view.parameters)
    (fault,) = views.faults(kept.view)
    assert fault.parameter == "format"
    assert "newer Spanloom" in fault.detail
    with pytest.raises(ViewRefusedError, match="newer"):
        views.change(project, newer.id, ViewContent("mine", {}), 1, "ada")
    views.delete(project, newer.id, 1, "ada")
    assert views.listed(project) == []


def test_a_project_has_so_many_views_and_no_more(
    views: SavedViews, store: Store, project: str, new_project: Callable[[], str]
) -> None:
    one = made(views, project)

    class Full:
        """The store, with a project that has reached its maximum number of views."""

        def list(self, _: str) -> list[SavedView]:
            return [replace(one, id=f"{n:016x}", name=str(n)) for n in range(MOST_VIEWS)]

        def defaults(self, project: str) -> dict[str, str]:
            return dict(store.saved_views.defaults(project))

    with pytest.raises(ViewRefusedError, match=f"{MOST_VIEWS} views"):
        SavedViews(cast("ViewStore", Full())).make(project, "runs", ViewContent("more", {}), "ada")
    assert views.listed(new_project()) == []


def test_views_of_one_name_made_at_once_are_one_view(store: Store, project: str) -> None:
    """Every process has found no such view before any of them stores one."""
    processes = 6
    barrier = Barrier(processes)

    class Together:
        """The store; it adds a view only once all processes have looked."""

        def __getattr__(self, name: str) -> object:
            return getattr(store.saved_views, name)

        def add(self, view: SavedView) -> None:
            barrier.wait(30)
            store.saved_views.add(view)

    def make(number: int) -> str:
        views = SavedViews(cast("ViewStore", Together()))
        wanted = ViewContent("mine", {"since": f"{number % 2 + 1}d"})
        try:
            return views.make(project, "runs", wanted, f"annotator {number}").view.id
        except ViewRefusedError as refused:
            return refused.current[0].view.id

    with ThreadPoolExecutor(processes) as pool:
        ids = list(pool.map(make, range(processes)))
    (kept,) = SavedViews(store.saved_views).listed(project)
    assert {kept.view.id} == set(ids)
    assert (kept.view.name, kept.view.revision) == ("mine", 1)


def test_the_same_view_made_twice_at_once_is_the_one_there(store: Store, project: str) -> None:
    class Meanwhile:
        """The store; another process makes the view first."""

        def __getattr__(self, name: str) -> object:
            return getattr(store.saved_views, name)

        def add(self, mine: SavedView) -> None:
            theirs = replace(mine, owner="bo", at_us=2, change="", parameters=self.parameters)
            store.saved_views.add(theirs)
            store.saved_views.add(mine)

        parameters = WEEK

    at_once = Meanwhile()
    mine = SavedViews(cast("ViewStore", at_once), lambda: 3_000_000)
    assert made(mine, project).owner == "bo"
    at_once.parameters = {"since": "1d"}
    with pytest.raises(ViewRefusedError, match="'other' of this page already") as refused:
        made(mine, project, "other")
    assert [kept.view.owner for kept in refused.value.current] == ["bo"]


def test_views_renamed_to_one_name_at_once_are_told_apart(store: Store, project: str) -> None:
    views = SavedViews(store.saved_views)
    one, two, three = (made(views, project, name) for name in ("one", "two", "same (2)"))
    for view in (one, two):
        store.saved_views.add(replace(view, name="same", revision=2, at_us=view.at_us + 1))
    named = {kept.view.id: kept.view.name for kept in views.listed(project)}
    first, second = sorted((one.id, two.id))
    assert named == {first: "same", second: "same (3)", three.id: "same (2)"}
    kept = views.change(project, second, ViewContent("same (3)", {}), 2, "ada")
    assert kept.view.name == "same (3)"
    assert len({kept.view.name for kept in views.listed(project)}) == 3


def test_a_name_is_free_again_after_a_rename_and_a_deletion(
    views: SavedViews, project: str
) -> None:
    first = made(views, project)
    views.change(project, first.id, ViewContent("renamed", WEEK), 1, "ada")
    second = made(views, project)
    assert second.id != first.id
    views.set_default(project, second.id, is_default=True)
    views.delete(project, second.id, 1, "ada")
    again = views.make(project, "runs", ViewContent("mine", {}), "bo")
    assert (again.view.revision, again.view.owner, again.is_default) == (3, "bo", False)
    assert [kept.view.name for kept in views.listed(project)] == ["mine", "renamed"]


@pytest.mark.parametrize("name", NAMES)
def test_long_names_are_told_apart_within_their_bound(
    store: Store, project: str, name: str
) -> None:
    views = SavedViews(store.saved_views)
    long = (name * MAX_NAME)[:MAX_NAME]
    for number in range(12):
        store.saved_views.add(SavedView(project, f"{number:016x}", "runs", long))
    found = [kept.view.name for kept in views.listed(project)]
    assert len(set(found)) == 12
    assert long in found
    assert max(map(len, found)) == MAX_NAME
