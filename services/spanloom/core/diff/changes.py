"""Finds what differs between two steps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.diff.steps import read_messages, without_ids
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.diff.inputs import ModelInputs
    from spanloom.core.diff.steps import DiffStep

SLOWER_BY = 0.2
"""Durations count as different if they differ by more than a fifth and 50 ms."""
SLOWER_BY_MS = 50


class Change(NamedTuple):
    """A field that differs, with both values."""

    field: str
    """``input.limit``, ``output``, ``name``, ``model``, ``error``, ``metadata.temperature``,
    ``duration`` (ms)."""
    a: object
    b: object


def find_changes(
    a: DiffStep, b: DiffStep, inputs_a: ModelInputs, inputs_b: ModelInputs
) -> Iterator[Change]:
    """Yield the fields that differ between two steps, in display order."""
    for field in ("type", "name", "model"):  # only roots can differ in type
        if getattr(a, field) != getattr(b, field):
            yield Change(field, getattr(a, field), getattr(b, field))
    if a.input != b.input:
        yield from _of_inputs(a, b, inputs_a, inputs_b)
    if a.output != b.output and _answer(a) != _answer(b):
        yield from _of_texts("output", a, b)
    if a.error != b.error:
        yield Change("error", a.error, b.error)
    if a.error_code != b.error_code and None not in (a.error, b.error):
        yield Change("error.code", a.error_code, b.error_code)
    yield from _of_members("metadata", a.metadata, b.metadata)
    apart_ms = abs(a.duration_ms - b.duration_ms)
    if apart_ms > max(SLOWER_BY * a.duration_ms, SLOWER_BY * b.duration_ms, SLOWER_BY_MS):
        yield Change("duration", a.duration_ms, b.duration_ms)


def of_one_side(
    step: DiffStep, side: int, inputs: tuple[ModelInputs, ModelInputs]
) -> Sequence[Change]:
    """Return model, texts and error of a step in only one run; ``side`` is 0 for the first run."""
    new = inputs[side].new_messages(step) if step.type == "model" else None
    shown_input = list(new) if new is not None else _as_messages(step, step.input)
    fields = {
        "model": step.model,
        "input": shown_input,
        "output": _as_messages(step, step.output),
        "error": step.error,
    }
    return tuple(
        Change(field, value if side == 0 else None, value if side == 1 else None)
        for field, value in fields.items()
        if value or (field == "error" and value is not None)
    )


def _answer(step: DiffStep) -> str:
    """Return an output without call ids; the signature of a model call is already without them."""
    return step.signature.text if step.type == "model" else without_ids(step.output)


def _of_inputs(
    a: DiffStep, b: DiffStep, inputs_a: ModelInputs, inputs_b: ModelInputs
) -> Iterator[Change]:
    ours, theirs = inputs_a.new_messages(a), inputs_b.new_messages(b)
    if a.type != "model" or ours is None or theirs is None:
        yield from _of_texts("input", a, b)
    elif not is_equal(ours, theirs):
        yield Change("input", list(ours), list(theirs))


def _of_texts(field: str, a: DiffStep, b: DiffStep) -> Iterator[Change]:
    """Yield a change per differing member of two JSON objects; for other texts, a single change."""
    text_a, text_b = getattr(a, field), getattr(b, field)
    shown_a, shown_b = _as_messages(a, text_a), _as_messages(b, text_b)
    ours, theirs = json_value(text_a), json_value(text_b)
    has_messages = isinstance(shown_a, list) or isinstance(shown_b, list)
    if not has_messages and isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _of_members(field, ours, theirs)
    else:
        yield Change(field, shown_a, shown_b)


def _as_messages(step: DiffStep, text: str) -> object:
    """Return the messages in a text; the text itself if it has none, or if the step is a tool."""
    messages = None if step.type == "tool" else read_messages(text)
    return text if messages is None else list(messages)


def _of_members(
    field: str, ours: Mapping[str, object], theirs: Mapping[str, object]
) -> Iterator[Change]:
    for name in sorted(ours.keys() | theirs.keys()):
        is_in_both = name in ours and name in theirs
        if not is_in_both or not is_equal(ours[name], theirs[name]):
            yield Change(f"{field}.{name}", ours.get(name), theirs.get(name))


def is_equal(one: object, other: object) -> bool:
    """Return whether two JSON values are equal; Python alone treats 1, 1.0 and True as equal."""
    return one == other and _written(one) == _written(other)


def _written(value: object) -> str:
    return json.dumps(value, sort_keys=True) if not isinstance(value, str) else value
