"""Pairs of OpenAI conversations, most of them nearly equal, many of them odd."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

MODES = ("strict", "unordered", "subset", "superset")
ARGS = ("exact", "ignore", "subset", "superset")
_VALUES = (1, 2, True, False, None, 1.0, "x", [1], [1.0], {"k": 1}, {"k": True})
_NO_OBJECTS = ("{bad", "", "[1]", "null", "3", [1], None, 5, '{"x": 1, "x": 2}', '{"a": "\n"}')
_TEXT, _IMAGE = {"type": "text", "text": "t"}, {"type": "image_url"}
_USE = {"type": "tool_use", "id": "u1", "name": "a", "input": {"x": 1}}
_CONTENTS = (
    *(None, 5, True, {"a": 1}, ["a"], [1], [None], [{"x": 1}], [{"type": "odd"}]),
    *([_TEXT], [{"type": "text"}], [{"type": "text", "text": 1}]),
    *([_IMAGE], [{**_IMAGE, "image_url": {"url": "http://x"}}, "hi"]),
    *([_USE], [{**_USE, "id": "c1"}, "hi"], [{**_USE, "input": [1]}], [{"type": "tool_use"}]),
    [{"type": "tool_result", "tool_use_id": "c1", "content": "r"}],
)
_ODD: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("role", ("robot", "", "human", "ai", "developer", "function", None, 5, "remove")),
    ("content", _CONTENTS),
    ("name", ("n", "", 5)),
    ("id", ("n", 5, True, {})),
    ("status", ("error", "odd")),
    ("tool_calls", (5, "text", {}, {"a": 1}, None, [])),
    ("message_type", ("x",)),
    ("response_metadata", ({}, 5, {"a": 1})),
)
Json = Any  # messages may be anything


class Pair(NamedTuple):
    """A run, a reference, and the configuration of their comparison."""

    run: list[Json]
    reference: list[Json]
    config: dict[str, Any]


def make_pair(seed: int) -> Pair:
    """Return the pair for a seed."""
    random = Random(seed)
    run = _conversation(random)
    reference = _near(random, run) if random.random() < 0.7 else _conversation(random)
    return Pair(run, reference, _config(random))


def _config(random: Random) -> dict[str, Any]:
    config: dict[str, Any] = {"mode": random.choice(MODES), "args": random.choice(ARGS)}
    if random.random() < 0.5:
        override = random.choice([*ARGS, [], ["x"], ["x.k", "y"], ["z"], _lopsided])
        config["overrides"] = {random.choice("ab"): override}
    return config


def _lopsided(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Return whether arguments match, asymmetrically, so that swapped arguments are noticed."""
    return ours.get("x") == theirs.get("x") if "y" in ours else len(ours) <= len(theirs)


def _conversation(random: Random) -> list[Json]:
    messages: list[Json] = [{"role": "user", "content": "hi"}] if random.random() < 0.7 else []
    for turn in range(random.randint(0, 3)):
        calls = [_call(random, f"c{turn}{n}") for n in range(random.choice([1, 1, 2, 3]))]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages += [_result(random, call) for call in calls if random.random() < 0.95]
    messages.append({"role": "assistant", "content": "done"})
    if random.random() < 0.5:
        messages = [_odd(random, message) for message in messages]
    if random.random() < 0.02:
        messages.append(random.choice(["text", None, [["role", "user"], ["content", "x"]], 5]))
    return messages


def _arguments(random: Random) -> Json:
    if random.random() < 0.04:
        return random.choice(_NO_OBJECTS)
    keys = random.sample("xyz", random.randint(0, 3))
    members = {key: random.choice(_VALUES) for key in keys}
    return json.dumps(members) if random.random() < 0.8 else members


def _call(random: Random, call_id: str) -> Json:
    name, arguments, kind = random.choice("aab"), _arguments(random), random.random()
    if kind < 0.01:
        return random.choice(["text", None, []])
    if kind < 0.02:
        return {
            "id": call_id,
            "function": {"name": random.choice([None, 5, ""]), "arguments": "{}"},
        }
    if kind < 0.03:
        return {"id": call_id, "function": {"name": name}}
    if kind < 0.1:
        odd: dict[str, Any] = random.choice([{}, {}, {"type": "tool_call"}, {"index": 0}])
        return {"name": name, "args": arguments, "id": call_id, **odd}
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    ids: list[dict[str, Any]] = [{"id": call_id}] * 12 + [{}, {"id": None}, {"id": ""}, {"id": 7}]
    return {**call, **random.choice(ids)}


def _result(random: Random, call: Json) -> Json:
    call_id = call.get("id") if isinstance(call, dict) else None
    answered: Json = random.choice([None, 5, True, {}]) if random.random() < 0.02 else call_id
    return {"role": "tool", "content": "ok", "tool_call_id": answered}


def _odd(random: Random, message: dict[str, Any]) -> Json:
    if random.random() > 0.1:
        return message
    if random.random() < 0.1:
        return {name: value for name, value in message.items() if name != "content"}
    if random.random() < 0.1:
        return {"type": message["role"], **{k: v for k, v in message.items() if k != "role"}}
    name, values = random.choice(_ODD)
    return {**message, name: random.choice(values)}


def _near(random: Random, messages: list[Json]) -> list[Json]:
    near = deepcopy(messages)
    for message in random.sample(near, min(len(near), random.randint(0, 2))):
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        if isinstance(calls, list) and calls:
            random.shuffle(calls)
            if random.random() < 0.3:
                calls.pop()
            elif isinstance(calls[0], dict) and isinstance(calls[0].get("function"), dict):
                calls[0]["function"]["arguments"] = _arguments(random)
    return near[:-1] if random.random() < 0.1 else near
