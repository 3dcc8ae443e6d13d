"""Shell completion inside a query: fields, values and words, from the service on the line."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from typing import Any, Self

import pytest
from click.shell_completion import ShellComplete

from spanloom import client as client_room
from spanloom.api.stats.schemas import field_item
from spanloom.cli.begun_query import Place, read_begun
from spanloom.cli.completing_fields import WAIT_S
from spanloom.cli.completion import PROGRAM, VARIABLE
from spanloom.cli.running import spanloom
from spanloom.client import UnreachableError
from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS
from spanloom.core.records.field import FieldList, ValueList
from spanloom.core.records.saved_view import VIEW, ViewItem

VALUES = ["refunds", "it's", 'say "no"', "\x1b[2J"]
KNOWN = FieldList.model_validate(
    {
        "items": [
            *(field_item(f, "trajectories").model_dump() for f in RUN_FIELDS.values()),
            *(field_item(f, "steps").model_dump() for f in STEP_FIELDS.values()),
        ]
    }
)


class Answering:
    """A stand-in for ``Client`` that lists the fields, and the same values for each of them."""

    asked: list[Any]
    is_there = True

    def __init__(self, _url: str | None, **_: Any) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def fields(self) -> FieldList:
        if not self.is_there:
            raise UnreachableError("nothing answers")
        return KNOWN

    def field_values(self, name: str, *, of: str, project: str | None) -> ValueList:
        self.asked.append((name, of, project))
        return ValueList.model_validate({"items": [{"value": v, "count": 1} for v in VALUES]})

    def views(self, *, page: str, project: str | None) -> list[ViewItem]:
        names = (f"{page} of {project}", "\x1b[2J")
        return [ViewItem.model_validate({**VIEW.example, "name": name}) for name in names]


@pytest.fixture(autouse=True)
def service(monkeypatch: pytest.MonkeyPatch) -> type[Answering]:
    class Mine(Answering):
        asked: list[Any] = []  # noqa: RUF012  # one list per test

    monkeypatch.setattr(client_room, "Client", Mine)
    return Mine


def offered(*words: str) -> list[str]:
    *before, incomplete = words
    shell = ShellComplete(spanloom, {}, PROGRAM, VARIABLE)
    return [str(item.value) for item in shell.get_completions(before, incomplete)]


@pytest.mark.parametrize(
    ("text", "place", "of", "field", "part"),
    [
        ("", Place.FIELD, "trajectories", "", ""),
        ("has_error and du", Place.FIELD, "trajectories", "", "du"),
        ("has(", Place.FIELD, "steps", "", ""),
        ("has((type = tool) and na", Place.FIELD, "steps", "", "na"),
        ("has(tool = 'a' then ", Place.FIELD, "steps", "", ""),
        ('has(tool = "se', Place.VALUE, "steps", "tool", '"se'),
        ("(status in (live, se", Place.VALUE, "trajectories", "status", "se"),
        ("agent not in (", Place.VALUE, "trajectories", "agent", ""),
        ("status ", Place.OPERATOR, "trajectories", "status", ""),
        ("status i", Place.OPERATOR, "trajectories", "status", "i"),
        ("output_tokens / in", Place.FIELD, "trajectories", "", "in"),
        ("has(output_tokens / input_tokens ", Place.OPERATOR, "steps", "input_tokens", ""),
        ("count(error) >= ", Place.VALUE, "trajectories", ")", ""),
        ("duration > 5s a", Place.LINK, "trajectories", "", "a"),
        ('agent = "a and b" ', Place.LINK, "trajectories", "", ""),
        (") ) and ", Place.FIELD, "trajectories", "", ""),
    ],
)
def test_where_a_query_ends(text: str, place: Place, of: str, field: str, part: str) -> None:
    begun = read_begun(text)
    assert begun == (text[: len(text) - len(part)], part, place, of, "" if field == ")" else field)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("list", "--where", "has_error and durat"), ["has_error and duration"]),
        (("list", "--where", "has_e"), ["has_error"]),
        (
            ("list", "--where", "has(tool exists then err"),
            ["error", "error_code", "error_type", "error_message"],
        ),
        (("list", "--where", "status = se"), ["status = settled"]),
        (("list", "--where", "status in (live, pa"), ["status in (live, partial"]),
        (("list", "--where", "status e"), ["status exists"]),
        (("list", "--where", "has_error o"), ["has_error or"]),
        (("list", "--where", "has(error th"), ["has(error then"]),
        (("list", "--where", "duration > 5s t"), []),
        (("stats", "--of", "steps", "--where", "first_t"), ["first_token"]),
        (("stats", "--of", "steps", "--run-where", "longest"), ["longest_repeat"]),
        (("tail", "--where", "conv"), ["conversation"]),
        (("export", "--order", "dur"), ["duration"]),
        (("export", "--of", "steps", "--order", "po"), ["position"]),
        (("steps", "--order", "first_"), ["first_token"]),
        (("steps", "--order", "sta"), ["start"]),
        (("stats", "--by", "agent,envi"), ["agent,environment"]),
        (("list", "--where", "metad"), ["metadata."]),
        (("stats", "count,p9"), ["count,p90(", "count,p95(", "count,p99("]),
        (("stats", "p95(durat"), ["p95(duration)"]),
        (("stats", "rate(has"), ["rate(has_error)", "rate(has_steps)"]),
        (("fields", "env"), ["environment"]),
        (("fields", "--of", "steps", "args"), ["args_key"]),
        (("list", "--columns", "trace_id,root_n"), ["trace_id,root_name"]),
        (("search", "words", "--columns", "snip"), ["snippet"]),
        (("views", "list", "--columns", "changed_"), ["changed_by", "changed_at"]),
        (("list", "--view", ""), ["runs of None"]),
        (("steps", "--project", "shop", "--view", "st"), ["steps of shop"]),
        (("views", "show", "--page", "overview", ""), ["overview of None"]),
        (("views", "delete", "runs"), ["runs of None"]),
    ],
)
def test_what_goes_on(words: tuple[str, ...], expected: list[str]) -> None:
    found = offered(*words)
    if words[2:3] == ("has(tool exists then err",):
        expected = [f"has(tool exists then {name}" for name in expected]
    assert found == expected


def test_values_are_quoted_as_a_query_has_them_and_never_obeyed(service: type[Answering]) -> None:
    words = ("list", "--project", "shop", "--where")
    assert offered(*words, 'agent = "') == [
        'agent = "refunds"',
        'agent = "it\'s"',
        'agent = "say \\"no\\""',
    ]
    assert offered(*words, "agent = '")[1:] == ["agent = 'it\\'s'", "agent = 'say \"no\"'"]
    assert offered(*words, "has(agent = ref") == ['has(agent = "refunds"']
    assert offered(*words, "duration > ") == []
    assert service.asked == [("agent", of, "shop") for of in ("trajectories",) * 2 + ("steps",)]


def test_both_directions_of_an_order_are_offered() -> None:
    found = offered("list", "--order", "")
    assert {"duration", "-duration", "cost", "-cost"} <= set(found)
    assert "agent" not in found


@pytest.mark.parametrize("words", [("list", "--where", ""), ("fields", ""), ("stats", "")])
def test_a_service_that_does_not_answer_offers_nothing(
    service: type[Answering], words: tuple[str, ...]
) -> None:
    service.is_there = False
    assert offered(*words) == []


@pytest.mark.service
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_silent_service_is_not_waited_for(shell: str) -> None:
    """By click's protocol, completion gives up on a host that takes connections but is silent."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        env = {
            **os.environ,
            VARIABLE: f"{shell}_complete",
            "COMP_WORDS": "spanloom list --where 'has_error and d",
            "COMP_CWORD": "3",
            "SPANLOOM_API_URL": f"http://127.0.0.1:{silent.getsockname()[1]}",
        }
        began = time.monotonic()
        ran = subprocess.run(
            [sys.executable, "-m", "spanloom"], env=env, capture_output=True, text=True, check=True
        )
    assert (ran.stdout.strip(), ran.stderr) == ("", "")
    assert time.monotonic() - began < 10, "it would have been waited for half a minute"
    assert WAIT_S < 1
