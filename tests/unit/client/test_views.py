"""Saved views through the client, ``spanloom views``, ``list --view`` and ``steps --view``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.command_output import run_command
from tests.support.generated_runs import generate_records

from spanloom.cli import client as shell
from spanloom.cli.views import _read_address
from spanloom.client import ConflictError, InvalidParameterError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., str]

FAILED = {"where": "has_error", "since": "2020-01-01T00:00:00Z"}


def test_a_view_is_made_changed_chosen_and_deleted(client: Client) -> None:
    view = client.make_view("Ausfälle", FAILED, project="shop", annotator="Zoë")
    assert (view.page, view.owner, view.parameters) == ("runs", "Zoë", FAILED)
    assert client.make_view("Ausfälle", FAILED, project="shop") == view
    with pytest.raises(ConflictError, match="already"):
        client.make_view("Ausfälle", {}, project="shop")
    renamed = client.change_view(view, name="failures", annotator="bo")
    assert (renamed.name, renamed.parameters, renamed.changed_by) == ("failures", FAILED, "bo")
    with pytest.raises(ConflictError, match="bo has changed"):
        client.change_view(view, parameters={})
    emptied = client.change_view(renamed, parameters={})
    assert (emptied.name, emptied.parameters) == ("failures", {})
    assert client.set_default_view(emptied).default
    assert [one.default for one in client.views(project="shop")] == [True]
    assert not client.set_default_view(emptied, default=False).default
    assert client.views(page="steps", project="shop") == client.views() == []
    with pytest.raises(ConflictError):
        client.delete_view(view)
    client.delete_view(emptied)
    with pytest.raises(NotFoundError):
        client.delete_view(emptied)
    with pytest.raises(InvalidParameterError, match="order"):
        client.make_view("wrong", {"order": "-tool_steps"}, page="steps")


def test_an_async_client_has_the_same_methods(world: World, client: Client) -> None:
    async def work() -> None:
        async with world.async_client() as other:
            view = await other.make_view("mine", FAILED)
            await other.set_default_view(await other.change_view(view, name="ours"))

    world.run(work())
    assert [(view.name, view.default) for view in client.views()] == [("ours", True)]


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())

    def command(*words: str) -> str:
        return run_command(words).partition("\n")[2]

    return command


def items(said: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in said.splitlines()]


def test_views_are_put_listed_shown_and_deleted(run: Run) -> None:
    assert run("views", "put", "slow calls", "--page", "steps", "order=-duration") == (
        "slow calls of the page steps is stored:"
        " http://localhost/steps?project=default&order=-duration\n"
    )
    run(
        *("views", "put", "slow calls", "--annotator", "ada", "since=1d"),
        *("--address", "http://127.0.0.1:8080/steps?where=type+%3D+model&since=7d&cursor=x&at=50"),
    )
    (stored,) = items(run("views", "show", "slow calls", "--page", "steps"))
    assert stored["parameters"] == {"where": "type = model", "since": "1d"}
    run("views", "put", "failures", "where=has_error", "--annotator", "<ada>")
    table = run("views", "list", "--output", "table")
    assert "runs   failures    <ada>  where=has_error" in table
    assert [item["name"] for item in items(run("views", "list"))] == ["failures", "slow calls"]
    assert run("views", "list", "--columns", "name,revision", "--csv") == (
        "name,revision\r\nfailures,1\r\nslow calls,2\r\n"
    )
    shown = run("views", "show", "slow calls", "--page", "steps", "--output", "table")
    assert shown.splitlines()[-1] == (
        "http://localhost/steps?project=default&where=type+%3D+model&since=1d"
    )
    assert "opens with failures" in run("views", "default", "failures")
    assert "(default)" in run("views", "list", "--output", "table")
    assert "without a view" in run("views", "default", "failures", "--off")
    assert run("views", "rename", "failures", "faults") == "failures is faults now.\n"
    assert run("views", "delete", "faults") == "faults is deleted.\n"
    assert "No views." in run("views", "list", "--page", "runs", "--output", "table")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("views", "show", "falures"), "did you mean 'failures'?"),
        (("views", "delete", "failures", "--page", "overview"), "views list --page overview"),
        (("views", "put", "x", "since"), "write PARAMETER=VALUE"),
        (("views", "put", "x", "where=colour = red"), "no run field 'colour'"),
        (("views", "put", "x", "--address", "http://h/trajectories/1"), "is no page with views"),
        (("views", "put", "x", "--address", "http://["), "Invalid IPv6"),
        (("list", "--view", "nobody's"), "there is no view"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run: Run, words: tuple[str, ...], reason: str) -> None:
    run("views", "put", "failures", "where=has_error")
    said = run(*words)
    assert reason in said
    assert "--- exit status 2" in said


def test_an_address_names_its_page() -> None:
    asked = {"since": "7d"}
    for address, page in (
        ("http://h/?since=7d&project=p", "runs"),
        ("http://h/prefix/steps?since=7d", "steps"),
        ("https://h/overview?since=7d", "overview"),
        ("?since=7d", "conversations"),
    ):
        assert _read_address(address, "conversations") == (page, asked)


def test_lists_ask_what_a_view_asks(run: Run, world: World, client: Client) -> None:
    world.store.trajectories.write(generate_records(20, "default"))
    asked = {**FAILED, "order": "-duration", "columns": "name", "duplicate": "any"}
    client.make_view("failures", asked)
    client.make_view(
        "costly", {"where": "cost exists", "run_where": "has_error", "order": "-cost"}, page="steps"
    )
    runs = list(client.trajectories("has_error", order="-duration", duplicate=None))
    found = items(run("list", "--view", "failures", "--limit", "99"))
    assert [one["trace_id"] for one in found] == [one.trace_id for one in runs]
    narrowed = items(
        run(
            "list",
            "--view",
            "failures",
            "--where",
            "tool_steps > 2 or steps = 1",
            "--order",
            "cost",
        )
    )
    wanted = client.trajectories(
        "has_error and (tool_steps > 2 or steps = 1)", order="cost", duplicate=None, limit=20
    )
    assert [one["trace_id"] for one in narrowed] == [one.trace_id for one in wanted]
    steps = items(run("steps", "--view", "costly", "position > 1", "--fields", "step_id,trace_id"))
    rows = client.steps(
        "cost exists and position > 1", run_where="has_error", order="-cost", limit=20
    )
    assert [tuple(one.values()) for one in steps] == [(r.step_id, r.trace_id) for r in rows]
    assert found
    assert narrowed
    assert steps
    assert run("list", "--view", "failures", "--since", "1d") == ""
