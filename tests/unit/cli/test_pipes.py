"""Output into a pipe: JSON, unless text is requested; a service names its addresses in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from spanloom.cli.processes import address_panel, announce
from spanloom.cli.running import COMMANDS, spanloom
from spanloom.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

OPERATIONS = (Path(__file__).parents[3] / "docs" / "operations.md").read_text("utf-8")
LOOKING = {
    *(
        "list",
        "conversations",
        "tail",
        "show",
        "diff",
        "explain",
        "spans",
        "steps",
        "instrument",
        "projects",
        "doctor",
    ),
    *("keys list", "dead-letters list", "stats", "fields", "compare", "views list", "views show"),
    *("datasets list", "datasets show", "scores list", "eval agree", "eval rules"),
    *("online-rules list", "online-rules show"),
    *("alerts list", "alerts show", "alerts put", "alerts test", "alerts events"),
    *(f"experiments {does}" for does in ("list", "show", "start", "results", "compare", "cancel")),
    *("search", "sql", "eval run", "eval compare"),
}
"""The commands that show something; all others change something and report that.

``--json`` of ``eval run`` and ``eval compare`` names a file.
"""


def every_command() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(spanloom)
    for name in COMMANDS:
        command = spanloom.get_command(context, name)
        assert command is not None
        inner = command.commands if isinstance(command, click.Group) else {}
        yield from ((f"{name} {sub}", one) for sub, one in inner.items())
        if not inner:
            yield name, command


def test_every_command_that_shows_something_has_the_same_forms() -> None:
    """Only an ``--output`` with a choice of forms counts; elsewhere it names the file to write."""
    forms = {
        name: param.type.choices
        for name, one in every_command()
        for param in one.params
        if "--output" in param.opts and isinstance(param.type, click.Choice)
    }
    assert forms.keys() == LOOKING
    assert all({"auto", "table", "jsonl"} <= set(known) for known in forms.values())
    giving = {name for name, one in every_command() if any("--json" in p.opts for p in one.params)}
    assert giving == LOOKING


def test_a_service_in_a_pipe_says_where_it_is_in_one_documented_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    addresses = dict.fromkeys(("api", "otlp_grpc", "otlp_http"), "http://127.0.0.1:1")
    announce(addresses, Settings(data_dir=tmp_path))
    (line,) = capsys.readouterr().out.splitlines()
    said = json.loads(line)
    assert said == {**addresses, "data_dir": str(tmp_path), "pid": os.getpid()}
    for member in said:
        assert f"`{member}`" in OPERATIONS


def test_on_a_terminal_the_address_to_export_is_the_one_of_http(tmp_path: Path) -> None:
    """A gRPC exporter that uses the HTTP port gets an explanation; the reverse is impossible."""
    addresses = {"otlp_grpc": "http://127.0.0.1:17", "otlp_http": "http://127.0.0.1:18"}
    console = Console(width=100)
    with console.capture() as shown:
        console.print(address_panel(addresses, Settings(data_dir=tmp_path)))
    assert "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:18 " in shown.get()
