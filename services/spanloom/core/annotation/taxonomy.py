"""Reads options, error types and severities from a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation.scheme import ErrorType, Severity
from spanloom.core.annotation.yaml_tree import Node, Remark, SchemeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CORRECT = "correct"
"""The only option that Potato treats as correct."""
DEFAULT_OPTIONS = (CORRECT, "incorrect", "partially_correct")
DEFAULT_SEVERITIES = (Severity("minor", 1), Severity("major", 5), Severity("critical", 10))
SEPARATOR = "::"


def read_options(
    members: dict[str, Node], kind: str, remarks: list[Remark]
) -> tuple[Sequence[str], str]:
    """Return the options in order, and the correct one; empty if there is none."""
    if kind == "process_reward":
        neutral = members.get("allow_neutral")
        return (("1", "0", "-1") if neutral and neutral.value else ("1", "-1")), "1"
    if kind != "trajectory_eval":
        return (), ""
    node = members.get("correctness_options")
    options = DEFAULT_OPTIONS if node is None else tuple(_option_texts(node))
    named = members.get("correct_option")
    if named is not None:
        if str(named.value) not in options:
            raise SchemeError(Remark(named.line, "correct_option", "none of correctness_options"))
        return options, str(named.value)
    if CORRECT in options:
        return options, CORRECT
    why = f"no {CORRECT!r} among them, so every option counts as an error; set correct_option"
    remarks.append(Remark(node.line if node else 1, "correctness_options", why))
    return options, ""


def _option_texts(node: Node) -> Iterator[str]:
    seen: set[str] = set()
    if not node.items:
        raise SchemeError(Remark(node.line, "correctness_options", "a list of texts is needed"))
    for item in node.items:
        if not isinstance(item.value, str) or not item.value:
            raise SchemeError(
                Remark(item.line, "correctness_options", f"{item.value!r} is no text: quote it")
            )
        if item.value not in seen:
            yield item.value
        seen.add(item.value)


def read_error_types(members: dict[str, Node], remarks: list[Remark]) -> Sequence[ErrorType]:
    """Return the error types; invalid entries get a remark, while Potato silently ignores them."""
    node = members.get("error_types")
    if node is None:
        return ()
    if not isinstance(node.value, list):
        raise SchemeError(Remark(node.line, "error_types", "a list is needed"))
    types: dict[str, ErrorType] = {}
    for item in node.items:
        if (read := _error_type(item, remarks)) is None:
            remarks.append(Remark(item.line, "error_types", "neither text nor name: passed over"))
        else:
            known = types.get(read.name, ErrorType(read.name))
            subtypes = dict.fromkeys([*known.subtypes, *read.subtypes])
            types[read.name] = ErrorType(read.name, tuple(subtypes))
    return tuple(types.values())


def _error_type(item: Node, remarks: list[Remark]) -> ErrorType | None:
    if isinstance(item.value, str) and item.value:
        return ErrorType(item.value)
    named = item.members.get("name") or item.members.get("label")
    if named is None or not isinstance(named.value, str) or not named.value:
        return None
    subtypes = item.members.get("subtypes")
    return ErrorType(named.value, tuple(_subtypes(subtypes, remarks)) if subtypes else ())


def _subtypes(node: Node, remarks: list[Remark]) -> Iterator[str]:
    """Yield the subtypes; a scalar counts as a list of one."""
    for item in node.items or [node]:
        if isinstance(item.value, (list, dict)) or item.value is None:
            remarks.append(Remark(item.line, "subtypes", "no text: passed over"))
            continue
        text = str(item.value)
        if SEPARATOR in text:
            why = f"{text!r} holds {SEPARATOR!r}: Potato keeps what is before it, we keep all"
            remarks.append(Remark(item.line, "subtypes", why))
        yield text


def read_severities(
    members: dict[str, Node], kind: str, remarks: list[Remark]
) -> Sequence[Severity]:
    """Return the severities; weights are the absolute values of the weights in the text."""
    node = members.get("severities")
    if node is None:
        return DEFAULT_SEVERITIES if kind in ("trajectory_eval", "error_span") else ()
    if not isinstance(node.value, list):
        raise SchemeError(Remark(node.line, "severities", "a list is needed"))
    return tuple(_severity(item, remarks) for item in node.items)


def _severity(item: Node, remarks: list[Remark]) -> Severity:
    name, weight = item.members.get("name"), item.members.get("weight")
    if name is None or not isinstance(name.value, str) or not name.value:
        raise SchemeError(Remark(item.line, "severities", "each needs a name and a weight"))
    if weight is None:
        why = f"{name.value!r} has no weight: it counts 0; Potato shows an error for a form"
        remarks.append(Remark(item.line, "severities", why))
        return Severity(name.value, 0)
    value = weight.value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e9:
        raise SchemeError(Remark(weight.line, "weight", "a number is needed"))
    if value != int(value):
        why = "a weight with a fraction: Potato shows an error for a form"
        remarks.append(Remark(weight.line, "weight", why))
    return Severity(name.value, abs(value))
