"""Reads schemes in the format of Potato's configuration, with a remark on each unknown line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.scheme import KINDS, Scheme
from spanloom.core.annotation.taxonomy import read_error_types, read_options, read_severities
from spanloom.core.annotation.yaml_tree import Node, Remark, SchemeError, parse_yaml, to_plain

if TYPE_CHECKING:
    from collections.abc import Sequence


_COMMON = {"annotation_type", "name", "description", "label_requirement", "required", "title"}
_OF_STEPS = {"steps_key", "step_text_key"}
KNOWN_KEYS = {
    "trajectory_eval": {
        *_COMMON,
        *_OF_STEPS,
        *("correctness_options", "correct_option", "error_types", "severities"),
        *("show_score", "max_score", "definitions"),
    },
    "process_reward": {*_COMMON, *_OF_STEPS, "allow_neutral", "mode"},
    "failure_attribution": {*_COMMON, *_OF_STEPS, "agent_key", "agents"},
    "trajectory_edit": {
        *_COMMON,
        *_OF_STEPS,
        *("editable_fields", "require_reason_on_edit", "edit_final_answer"),
    },
    "error_span": {*_COMMON, "error_types", "severities", "max_score", "show_score"},
}
WITHOUT_EFFECT = {
    "editable_fields": "stored, without effect: every input and output can be corrected",
    "edit_final_answer": "stored, without effect: an answer is corrected at its step",
}
LONGEST_NAME = 200


class SchemeReading(NamedTuple):
    """A scheme, with remarks on lines that were not understood or that Potato reads differently."""

    scheme: Scheme
    remarks: Sequence[Remark]


def read_scheme(text: str, name: str | None = None) -> SchemeReading:
    """Parse a scheme; the text may be a scheme, a list of schemes, or a whole configuration.

    ``name`` selects one of several schemes. Raises ``SchemeError`` with line and reason.
    """
    root = _choose(parse_yaml(text), name)
    members, remarks = root.members, list[Remark]()
    kind = _text(members, "annotation_type", root)
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise SchemeError(_at(members["annotation_type"], "annotation_type", f"none of {known}"))
    own = _text(members, "name", root)
    if len(own) > LONGEST_NAME or not own.isprintable():
        raise SchemeError(
            _at(members["name"], "name", f"up to {LONGEST_NAME} printable characters")
        )
    remarks += _keys_without_effect(members, kind)
    options, correct = read_options(members, kind, remarks)
    max_score = _number(members, "max_score", 100)
    scheme = Scheme(
        name=own,
        kind=kind,
        description=_description(members, root, remarks),
        options=options,
        correct_option=correct,
        error_types=read_error_types(members, remarks),
        severities=read_severities(members, kind, remarks),
        max_score=max_score,
        show_score=_truth(members, "show_score", default=True),
        is_required=_is_required(members),
        agents=_texts(members, "agents"),
        needs_reason=_truth(members, "require_reason_on_edit", default=False),
        steps_key=_optional(members, "steps_key", "steps"),
        step_text_key=_optional(members, "step_text_key", "action"),
        definitions={key: str(n.value) for key, n in _members(members, "definitions").items()},
        text=text,
    )
    return SchemeReading(scheme, remarks)


def plain_scheme(text: str, name: str) -> object:
    """Return the named scheme as plain JSON values, with all keys, even unknown ones."""
    return to_plain(_choose(parse_yaml(text), name))


def _choose(root: Node, name: str | None) -> Node:
    """Return the named scheme, or the only one; raises ``SchemeError`` otherwise."""
    listed = root.members.get("annotation_schemes", root)
    if not isinstance(listed.value, list):
        if not listed.members:
            raise SchemeError(_at(root, "the text", "a scheme is a mapping with annotation_type"))
        return listed
    schemes = [item for item in listed.items if item.members]
    named = [s for s in schemes if name is not None and _name_of(s) == name] or schemes
    if len(named) != 1:
        names = ", ".join(_name_of(s) for s in schemes) or "none"
        raise SchemeError(_at(listed, "annotation_schemes", f"name one of its schemes: {names}"))
    return named[0]


def _name_of(scheme: Node) -> str:
    name = scheme.members.get("name")
    return "" if name is None else str(name.value)


def _keys_without_effect(members: dict[str, Node], kind: str) -> list[Remark]:
    unknown = "an unknown key: stored with the scheme, without effect"
    return [
        _at(node, key, WITHOUT_EFFECT[key] if key in KNOWN_KEYS[kind] else unknown)
        for key, node in members.items()
        if key not in KNOWN_KEYS[kind] or key in WITHOUT_EFFECT
    ]


def _text(members: dict[str, Node], key: str, root: Node) -> str:
    node = members.get(key)
    if node is None or node.value is None or isinstance(node.value, (list, dict)):
        raise SchemeError(_at(node or root, key, "a text is needed"))
    return str(node.value)


def _optional(members: dict[str, Node], key: str, default: str) -> str:
    return _text(members, key, members[key]) if key in members else default


def _description(members: dict[str, Node], root: Node, remarks: list[Remark]) -> str:
    node = members.get("description")
    if node is None or not str(node.value or ""):
        remarks.append(_at(node or root, "description", "empty: Potato shows an error for a form"))
        return ""
    return str(node.value)


def _number(members: dict[str, Node], key: str, default: float) -> float:
    node = members.get(key)
    if node is None:
        return default
    value = node.value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        raise SchemeError(_at(node, key, "a number from 0 on is needed"))
    return value


def _truth(members: dict[str, Node], key: str, *, default: bool) -> bool:
    node = members.get(key)
    if node is None:
        return default
    if not isinstance(node.value, bool):
        raise SchemeError(_at(node, key, "true or false is needed"))
    return node.value


def _texts(members: dict[str, Node], key: str) -> Sequence[str]:
    node = members.get(key)
    if node is None or node.value is None:
        return ()
    if not isinstance(node.value, list) or any(
        isinstance(n.value, (list, dict)) for n in node.items
    ):
        raise SchemeError(_at(node, key, "a list of texts is needed"))
    return tuple(dict.fromkeys(str(item.value) for item in node.items))


def _is_required(members: dict[str, Node]) -> bool:
    requirement = _members(members, "label_requirement")
    return _truth(members, "required", default=False) or _truth(
        requirement, "required", default=False
    )


def _members(members: dict[str, Node], key: str) -> dict[str, Node]:
    return members[key].members if key in members else {}


def _at(node: Node, key: str, reason: str) -> Remark:
    return Remark(node.line, key, reason)


class Checked(NamedTuple):
    """The result of checking one scheme in a text."""

    name: str
    """The name of the scheme; empty if it has none."""
    line: int
    """The number, from 1, of the line at which the scheme begins."""
    remarks: Sequence[Remark]
    """Remarks on lines that are not understood, or that Potato reads differently."""
    errors: Sequence[Remark]
    """Errors that prevent the scheme from being stored."""
    scheme: Scheme | None = None
    """The parsed scheme; ``None`` if there are errors."""


def check_schemes(text: str) -> Sequence[Checked]:
    """Check each scheme in a text; for invalid YAML, return one result without a name."""
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
        reading = read_scheme(text, name)
    except SchemeError as error:
        return Checked(name, line, (), error.remarks)
    return Checked(name, line, reading.remarks, (), reading.scheme)
