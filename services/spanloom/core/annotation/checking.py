"""Looks at a text that somebody is writing: which schemes it has, and what is wrong with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.reading import read_scheme
from spanloom.core.annotation.yaml_tree import Remark, SchemeError, parse_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence


class Checked(NamedTuple):
    """One scheme of a text."""

    name: str
    """Empty if it has none."""
    line: int
    """Where it begins, from 1."""
    remarks: Sequence[Remark]
    """What is not understood, or is read otherwise elsewhere."""
    errors: Sequence[Remark]
    """What cannot be meant; with any the scheme cannot be stored."""


def check_schemes(text: str) -> Sequence[Checked]:
    """Return the schemes of a text, in its order; what is no YAML has one without a name."""
    try:
        root = parse_yaml(text)
    except SchemeError as error:
        return [Checked("", 1, (), error.remarks)]
    listed = root.members.get("annotation_schemes", root)
    schemes = listed.items or [listed]
    named = [node.members.get("name") for node in schemes]
    return [
        _check(text, "" if name is None else str(name.value), node.line)
        for node, name in zip(schemes, named, strict=True)
    ]


def _check(text: str, name: str, line: int) -> Checked:
    try:
        return Checked(name, line, read_scheme(text, name).remarks, ())
    except SchemeError as error:
        return Checked(name, line, (), error.remarks)
