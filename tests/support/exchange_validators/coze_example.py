"""Checks trajectories against the example in Coze Loop's documentation, key by key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
from tests.support.exchange_validators.coze import FOLDER, check_published

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(body: bytes) -> None:
    """Raise if the body has another form than the example, or lacks one of its members."""
    document = orjson.loads(body)
    if document.keys() != {"id", "root_step"}:
        raise ValueError(f"members of the trajectory: {sorted(document)}")
    example = json.loads((FOLDER / "example.json").read_text("utf-8"))
    for found, shown in _pairs(document, example):
        if missing := shown.keys() - found.keys():
            raise ValueError(f"{found.get('id')} lacks {sorted(missing)}")
    root = dict(document["root_step"])
    check_published({**document, "agent_steps": root.pop("agent_steps"), "root_step": root})


def _pairs(document: Any, example: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each object with the object of the example that it resembles."""
    root, shown_root = document["root_step"], example["root_step"]
    [shown_agent] = shown_root["agent_steps"]
    model, tool, *_ = shown_agent["steps"]
    yield root, shown_root
    for agent in root["agent_steps"]:
        yield agent, shown_agent
        for step in agent["steps"]:
            shown = model if step["type"] == "model" else tool
            yield step, shown
            if step["type"] == "model":
                yield step["model_info"], shown["model_info"]
    for step in (root, *root["agent_steps"]):
        yield step["basic_info"], shown_root["basic_info"]
        yield step["metrics_info"], shown_root["metrics_info"]
