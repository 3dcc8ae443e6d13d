"""The steps of a run as nested ``<details>``: the earliest ones of a long run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanloom.core.showing.html.texts import block, legible, said
from spanloom.core.showing.step_tree import Node, build_tree
from spanloom.core.showing.values import duration, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    Json = dict[str, Any]

MAX_STEPS = 5_000
MAX_LEVELS = 100
"""Browsers nest no more than 512 elements; steps below stand beside each other at this level."""
MAX_TEXT_BYTES = 30_000_000
"""Of the texts of all steps; behind that only names and numbers are written."""
_NAME_CHARS = 300
_NO_TEXTS = '<p class="cut">Texts are not in this file.</p>'


@dataclass(slots=True)
class Room:
    """What a file still has room for: whoever writes steps takes from it."""

    steps: int = field(default_factory=lambda: MAX_STEPS)
    text_bytes: int = field(default_factory=lambda: MAX_TEXT_BYTES)


def earliest(document: Json, most: int) -> tuple[Json, int]:
    """Return the document with at most so many steps, the earliest, and how many it had."""
    starts: dict[str, int] = {}
    for agent in document["agent_steps"]:
        for step in (agent, *agent["steps"]):
            starts.setdefault(step["id"], whole(step["basic_info"]["started_at"]))
    if len(starts) <= most:
        return document, len(starts)
    chosen = set(sorted(starts, key=lambda step_id: starts[step_id])[:most])
    agents = [
        {**agent, "steps": [step for step in agent["steps"] if step["id"] in chosen]}
        for agent in document["agent_steps"]
        if agent["id"] in chosen
    ]
    return {**document, "agent_steps": agents}, len(starts)


def write_steps(document: Json, room: Room) -> Iterator[str]:
    """Yield the tree of steps piece by piece; the first two levels are open."""
    waiting: list[tuple[Node | None, int]] = [(build_tree(document), 0)]
    while waiting:
        node, level = waiting.pop()
        if node is None:
            yield "</details>"
            continue
        body = _texts(node.step) if room.text_bytes > 0 else _NO_TEXTS
        room.text_bytes -= len(body)
        room.steps -= 1
        yield f"<details{' open' if level < 2 else ''}>{_head(node)}{body}"
        children = [(child, min(level + 1, MAX_LEVELS)) for child in reversed(node.children)]
        if level < MAX_LEVELS:
            waiting.append((None, level))
        else:
            yield "</details>"
        waiting.extend(children)


def _head(node: Node) -> str:
    step = node.step
    model = step.get("model_info") or {}
    tokens = f"{model['input_tokens']:,} / {model['output_tokens']:,} tokens" if model else ""
    failed = '<b class="bad">✕ failed</b>' if step["basic_info"].get("error") else ""
    kind = node.type if node.type.isalpha() else "other"
    facts = " · ".join(filter(None, (duration(node.duration_ms), tokens, failed)))
    name = legible((step.get("name") or step["id"])[:_NAME_CHARS])
    return (
        f'<summary><b class="k {kind}">{kind}</b> <bdi>{name}</bdi> '
        f"<small>{facts} <code>{legible(step['id'])}</code></small></summary>"
    )


def _texts(step: Json) -> str:
    error = (step["basic_info"].get("error") or {}).get("msg", "")
    parts = [f'<div class="bad">{block(error)}</div>'] if error else []
    for title, name in (("Input", "input"), ("Output", "output")):
        text = step.get(name) or ""
        if text:
            parts.append(f'<div class="side"><h3>{title}</h3>{said(text)}</div>')
    return "".join(parts)
