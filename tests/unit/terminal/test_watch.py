"""``spanloom show --watch`` follows a live run until it has settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.access import open_access
from tests.unit.terminal.conftest import TRACE, store_of

from spanloom.api.app import create_app
from spanloom.cli import show as watch
from spanloom.cli.client import LOOK_S
from spanloom.cli.show import show_command
from spanloom.client.client import Client
from spanloom.core.errors import StoreUnavailableError
from spanloom.metrics import Metrics
from spanloom.process.serving import HttpServer, bind
from spanloom.terminal.live import FOLLOWING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import CliRunner
    from tests.unit.terminal.conftest import OneTrajectory, Screen

    Happenings = list[Callable[[], None]]

pytestmark = pytest.mark.service


class Run:
    """A store with one run; another name of its root makes another version."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.answers = True
        self.becomes("planner", "live")

    def becomes(self, name: str, status: str) -> None:
        self._document["root_step"]["name"] = name
        self._document["extraction"]["status"] = status

    def read(self, *_: object) -> bytes:
        if not self.answers:
            raise StoreUnavailableError("gone for a moment")
        return orjson.dumps(self._document)


@pytest.fixture
def run(store: OneTrajectory, example: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Run:
    made = Run(example)
    monkeypatch.setattr(store, "get", made.read)
    return made


@pytest.fixture
def happenings(monkeypatch: pytest.MonkeyPatch) -> Happenings:
    """The functions that run between two looks; after the last one, Ctrl-C is pressed."""
    made: Happenings = []

    def sleep(seconds: float) -> None:
        assert seconds >= LOOK_S, "at most one request a second"
        if not made:
            raise KeyboardInterrupt
        made.pop(0)()

    monkeypatch.setattr(watch, "sleep", sleep)
    return made


def test_in_a_pipe_the_run_is_printed_once_it_has_settled(
    runner: CliRunner, run: Run, happenings: Happenings
) -> None:
    happenings += [
        lambda: run.becomes("planner, later", "live"),
        lambda: run.becomes("planner, at last", "settled"),
    ]
    result = runner.invoke(show_command, [TRACE, "--watch", "--output", "table"])
    assert result.exit_code == 0
    assert result.stdout.startswith("planner, at last · settled")
    assert result.stdout.count("planner,") == 2, "the heading and the tree, once"
    assert result.stderr == "spanloom: the run is live, it is printed once it has settled\n"
    assert "\x1b" not in result.output


def test_what_has_settled_is_not_waited_for(runner: CliRunner, run: Run) -> None:
    run.becomes("planner", "settled")
    result = runner.invoke(show_command, [TRACE, "--watch"])
    assert orjson.loads(result.stdout)["root_step"]["name"] == "planner"
    assert result.stderr == ""


def test_a_store_that_is_away_for_a_moment_ends_nothing(
    runner: CliRunner, run: Run, happenings: Happenings
) -> None:
    def goes() -> None:
        run.answers = False

    def comes() -> None:
        run.answers = True
        run.becomes("planner", "settled")

    happenings += [goes, lambda: None, comes]
    result = runner.invoke(show_command, [TRACE, "--watch"])
    assert result.exit_code == 0
    assert "settled" in result.stdout
    assert result.stderr.count("trying again") == 1


def test_an_unknown_run_is_an_error_at_once(runner: CliRunner, happenings: Happenings) -> None:
    happenings.clear()
    result = runner.invoke(show_command, ["0" * 32, "--watch"])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)


@pytest.fixture
def serve(store: OneTrajectory) -> Iterator[Callable[[int], HttpServer]]:
    servers: list[HttpServer] = []

    def start(port: int) -> HttpServer:
        app = create_app(store_of(store), Metrics(), open_access())
        servers.append(HttpServer(app, bind("127.0.0.1", port, "--api-port"), "api"))
        servers[-1].start()
        return servers[-1]

    yield start
    servers[-1].stop(grace_s=1)


def test_a_restart_of_the_service_is_told_below_the_tree(
    screen: Callable[..., Screen], run: Run, happenings: Happenings, serve: Callable[..., Any]
) -> None:
    terminal = screen(colour=True)
    first = serve(0)
    told: list[bool] = []

    def starts_again() -> None:
        told.append("trying again" in terminal.text)
        run.becomes("planner", "settled")
        serve(first.port)

    happenings += [lambda: first.stop(grace_s=1), starts_again]
    with Client(f"http://127.0.0.1:{first.port}") as client:
        watch.watch_run(client, TRACE, None, terminal.console)
    assert told == [True]


def test_ctrl_c_leaves_the_last_tree_and_the_cursor(
    screen: Callable[..., Screen], run: Run, api_url: str, happenings: Happenings
) -> None:
    terminal = screen(colour=True)
    happenings += [lambda: run.becomes("planner, later", "live")]
    with Client(api_url) as client, pytest.raises(KeyboardInterrupt):
        watch.watch_run(client, TRACE, None, terminal.console)
    assert terminal.raw.endswith("\x1b[?25h"), "the cursor is shown again"
    last = terminal.text.rindex("planner, later")
    assert FOLLOWING in terminal.text[last:]


@pytest.mark.usefixtures("run", "happenings")
def test_a_tree_higher_than_the_terminal_keeps_its_heading_and_its_end(
    screen: Callable[..., Screen], api_url: str
) -> None:
    terminal = screen(colour=True)
    terminal.console.size = terminal.console.size._replace(height=12)
    with Client(api_url) as client, pytest.raises(KeyboardInterrupt):
        watch.watch_run(client, TRACE, None, terminal.console)
    frame = terminal.text.splitlines()[: 12 - 1]
    assert frame[0].startswith("\x1b[?25lplanner")
    assert frame[2].endswith(" lines")
    assert frame[-1].startswith(FOLLOWING)
