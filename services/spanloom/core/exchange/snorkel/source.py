"""Stores the original nodes of a Snorkel trace in the metadata of the steps made from them.

A node may have types, members and values that our writer would not produce. ``SOURCE`` in a step's
metadata is the JSON of its node, in which each substep is replaced by the id of its step (a user's
message is not a step and stays whole); the value is empty if it equals the step's output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.snorkel.nodes import ROOT_STEP, SUBSTEPS, TYPE, VALUE, check_node
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json

SOURCE = "snorkel"
"""Key in a step's ``metadata`` for its original node."""
DEEPEST = 100
"""Maximum nesting of steps in a trace, because many parsers fail on deeper JSON."""


def restored(steps: Mapping[str, DocumentStep], root_id: str) -> dict[str, Json] | None:
    """Return the original nodes, nested, keyed by step id; ``None`` unless every step has one."""
    kept = {i: node for i, step in steps.items() if (node := _kept(step)) is not None}
    if root_id not in kept or kept[root_id][TYPE] != ROOT_STEP:
        return None
    placed = {root_id: kept.pop(root_id)}
    waiting = [(placed[root_id], 1)]
    while waiting:
        node, depth = waiting.pop()
        if SUBSTEPS not in node:
            continue
        below = [_below(one, kept, placed) for one in node[SUBSTEPS]]
        node[SUBSTEPS] = found = [one for one in below if one is not None and depth < DEEPEST]
        waiting += [(one, depth + 1) for one in found]
    return placed if placed.keys() == steps.keys() else None


def _kept(step: DocumentStep) -> Json | None:
    text = step.metadata.get(SOURCE)
    node = _checked(_parsed(text)) if text else None
    if node is not None and isinstance(node.get(VALUE), str):
        node[VALUE] = step.output
    return node


def _parsed(text: str) -> object:
    try:
        value: object = orjson.loads(text)
    except ValueError:
        return None
    return value


def _checked(node: object) -> Json | None:
    try:
        return check_node(node, "")
    except InvalidRequestError:
        return None


def _below(one: object, kept: dict[str, Json], placed: dict[str, Json]) -> Json | None:
    """Return a substep: the node of the step with this id, at most once, or a user's message."""
    if isinstance(one, str) and one in kept:
        placed[one] = kept.pop(one)
        return placed[one]
    return _checked(one) if isinstance(one, dict) else None


def keep(node: Json, output: str, below: list[str | Json]) -> str:
    """Return the value of ``SOURCE`` for a node; ``below``: its substeps, with steps as ids."""
    return dump(in_short(node, below, {VALUE: ""} if node.get(VALUE) == output else {})).decode()


def in_short(node: Json, below: list[str | Json], changed: Json | None = None) -> Json:
    """Return a node with its substeps, if any, replaced by ``below``, and ``changed`` members."""
    substeps = {SUBSTEPS: below} if SUBSTEPS in node else {}
    return {**node, **substeps, **(changed or {})}
