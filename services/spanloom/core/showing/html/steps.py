"""Writes the steps of a run as nested ``<details>``; of a long run only the earliest steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanloom.core.document import Document
from spanloom.core.showing.html.texts import block, content_html, legible
from spanloom.core.showing.steps import Node, build_tree
from spanloom.core.showing.values import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.document import DocumentStep

    Json = dict[str, Any]

MAX_STEPS = 5_000
MAX_LEVELS = 100
"""Browsers nest at most 512 elements; deeper steps are written as siblings at this level."""
MAX_TEXT_BYTES = 30_000_000
"""Maximum bytes of the texts of all steps; further steps have only names and numbers."""
_NAME_CHARS = 300
_NO_TEXTS = '<p class="cut">Texts are not in this file.</p>'


@dataclass(slots=True)
class Room:
    """The remaining budget of a file; writing steps reduces it."""

    steps: int = field(default_factory=lambda: MAX_STEPS)
    text_bytes: int = field(default_factory=lambda: MAX_TEXT_BYTES)


def earliest(document: Json, most: int) -> tuple[Json, int]:
    """Return the document with at most ``most`` of its earliest steps, and how many it had."""
    view = Document(document)
    starts: dict[str, int] = {}
    for agent in view.agents:
        for step in (agent, *agent.steps):
            starts.setdefault(step.id, step.started_at)
    if len(starts) <= most:
        return document, len(starts)
    chosen = set(sorted(starts, key=lambda step_id: starts[step_id])[:most])
    return view.with_steps(chosen), len(starts)


def write_steps(document: Json, room: Room) -> Iterator[str]:
    """Yield the tree of steps in chunks; its first two levels are expanded."""
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
    model = step.model_info
    tokens = f"{model['input_tokens']:,} / {model['output_tokens']:,} tokens" if model else ""
    failed = '<b class="bad">✕ failed</b>' if step.error else ""
    kind = node.type if node.type.isalpha() else "other"
    facts = " · ".join(filter(None, (duration(node.duration_ms), tokens, failed)))
    name = legible((step.name or step.id)[:_NAME_CHARS])
    return (
        f'<summary><b class="k {kind}">{kind}</b> <bdi>{name}</bdi> '
        f"<small>{facts} <code>{legible(step.id)}</code></small></summary>"
    )


def _texts(step: DocumentStep) -> str:
    error = step.error_message
    parts = [f'<div class="bad">{block(error)}</div>'] if error else []
    for title, text in (("Input", step.input), ("Output", step.output)):
        if text:
            parts.append(f'<div class="side"><h3>{title}</h3>{content_html(text)}</div>')
    return "".join(parts)
