"""Parses a trajectory document, in the canonical form or that of Coze Loop's example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json


def read_document(body: bytes) -> Json:
    """Return the document in the canonical form: ``agent_steps`` next to ``root_step``.

    Coze Loop's published schema has them there, its published example inside ``root_step``; if a
    document has both, those next to it are used. Nothing else is changed or filled in. Raises
    ``InvalidRequestError`` for anything that has not the shape of a trajectory.
    """
    document = _object(_parse(body), "the document")
    root = dict(_object(document.get("root_step", {}), "root_step"))
    nested = root.pop("agent_steps", [])
    agents = _objects(document.get("agent_steps", nested), "agent_steps")
    for at, agent in enumerate(agents):
        _objects(agent.get("steps", []), f"agent_steps[{at}].steps")
    if not isinstance(document.get("id"), str):
        raise InvalidRequestError("id: a trajectory needs its trace id as a string")
    rest = {k: v for k, v in document.items() if k not in {"id", "root_step", "agent_steps"}}
    return {"id": document["id"], "root_step": root, "agent_steps": agents, **rest}


def _parse(body: bytes) -> object:
    try:
        parsed: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidRequestError(f"the document is not JSON: {error}") from error
    return parsed


def _object(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}: an object is needed here, not {_kind(value)}")
    return value


def _objects(value: object, where: str) -> list[Json]:
    if not isinstance(value, list):
        raise InvalidRequestError(f"{where}: a list is needed here, not {_kind(value)}")
    return [_object(item, f"{where}[{at}]") for at, item in enumerate(value)]


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")
