"""Every difference between two documents is in their diff, as JSON and in a shell."""

from __future__ import annotations

from copy import deepcopy
from io import StringIO
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rich.console import Console
from tests.properties.test_diff_mirrors import CAPTURES, documents
from tests.support.examples import examples

from spanloom.core.diff.diff import diff_documents
from spanloom.core.diff.shown import show_diff
from spanloom.core.diff.steps import read_messages
from spanloom.terminal.diff_view import render_diff

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.ground_truth import Capture

Json = dict[str, Any]
SHARED = ("input", "output", "metadata", "basic_info")
"""Members that are equal in all places of a step, which may also be the root or an agent."""
TOKEN = "zq7differs"  # noqa: S105 - a word that no capture has


def _in_text(field: str) -> Callable[[st.DataObject, Json], bool]:
    def changed(data: st.DataObject, step: Json) -> bool:
        """Insert ``TOKEN`` into a text, or into one of its messages if it has messages."""
        text = step[field] or ""
        if step.get("type") == "tool" or read_messages(text) is None:
            at = data.draw(st.integers(0, len(text)))
            step[field] = f"{text[:at]}{TOKEN}{text[at:]}"
            return True
        messages = orjson.loads(text)
        listed = messages if isinstance(messages, list) else [messages]
        message = data.draw(st.sampled_from(listed))
        content = message.get("content")
        said = content if isinstance(content, str) else ""
        at = data.draw(st.integers(0, len(said)))
        message["content"] = f"{said[:at]}{TOKEN}{said[at:]}"
        step[field] = orjson.dumps(messages).decode()
        return True

    return changed


def _left_out(data: st.DataObject, step: Json) -> bool:
    """Remove an input message of a model step; return whether it had several."""
    messages = read_messages(step["input"])
    if step.get("type") != "model" or messages is None or len(messages) < 2:
        return False
    given = orjson.loads(step["input"])
    given.pop(data.draw(st.integers(0, len(given) - 1)))
    step["input"] = orjson.dumps(given).decode()
    return True


def _set(group: str, member: str, value: object) -> Callable[[st.DataObject, Json], bool]:
    def changed(_data: st.DataObject, step: Json) -> bool:
        step[group] = {**step[group], member: value}
        return True

    return changed


CHANGES: dict[str, Callable[[st.DataObject, Json], bool]] = {
    "input": _in_text("input"),
    "output": _in_text("output"),
    "left out": _left_out,
    "model": _set("metadata", "model", TOKEN),
    "parameter": _set("metadata", "seed", TOKEN),
    "error": _set("basic_info", "error", {"code": 7, "msg": TOKEN}),
    "duration": _set("basic_info", "duration", "98765432"),
}


def told(a: Json, b: Json) -> tuple[bool, str, str]:
    """Return whether two runs count as the same, and their diff as JSON and in a shell."""
    diff = diff_documents(a, b)
    shown = show_diff(a, b, diff)
    out = StringIO()
    render_diff(shown, Console(file=out, width=20_000))
    return diff.is_same, orjson.dumps(shown).decode(), out.getvalue()


@given(CAPTURES, st.data())
@settings(max_examples=examples(150), deadline=None)
def test_a_change_anywhere_is_told(capture: Capture, data: st.DataObject) -> None:
    found = documents(capture)
    assume(found)
    before = data.draw(st.sampled_from(found))
    after = deepcopy(before)
    steps = [after["root_step"], *(step for one in after["agent_steps"] for step in one["steps"])]
    step = data.draw(st.sampled_from(steps))
    name = data.draw(st.sampled_from(sorted(CHANGES)))
    assume(CHANGES[name](data, step))
    for copy in (*steps, *after["agent_steps"]):  # the root and agents may be steps too
        if copy["id"] == step["id"]:
            copy |= {name: step[name] for name in SHARED}
    for a, b in ((before, after), (after, before)):
        is_same, as_json, in_shell = told(a, b)
        assert not is_same
        assert '{"role"' not in in_shell
        if name == "duration":
            assert "duration" in as_json
        elif name != "left out":
            assert TOKEN in as_json
            assert TOKEN in in_shell


@given(CAPTURES, st.data())
@settings(max_examples=examples(60), deadline=None)
def test_a_step_of_one_run_alone_is_told(capture: Capture, data: st.DataObject) -> None:
    found = [one for one in documents(capture) if any(a["steps"] for a in one["agent_steps"])]
    assume(found)
    before = data.draw(st.sampled_from(found))
    after = deepcopy(before)
    owner = data.draw(st.sampled_from([one for one in after["agent_steps"] if one["steps"]]))
    step = deepcopy(data.draw(st.sampled_from(owner["steps"])))
    owner["steps"].append({**step, "id": "f" * 16, "output": TOKEN})
    for a, b in ((before, after), (after, before)):
        is_same, as_json, in_shell = told(a, b)
        assert not is_same
        assert TOKEN in as_json
        assert TOKEN in in_shell
