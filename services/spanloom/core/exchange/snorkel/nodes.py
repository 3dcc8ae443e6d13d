"""Checks the nodes of a trace by the rules in Snorkel's documentation (25.3).

Snorkel silently drops a trace that violates a rule; here the trace is rejected with the path.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.readers import a_list, a_text, an_object, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.formats.json_bytes import Json

TYPE, METADATA, VALUE, SUBSTEPS = "step_type", "metadata", "value", "substeps"
EXECUTION, EXPAND = "substep_execution_type", "metadata_expand"
MEMBERS = frozenset({TYPE, METADATA, VALUE, SUBSTEPS, EXECUTION, EXPAND})
ROOT_STEP: Final = "ROOT_STEP"
_PLAIN = (str, bool, int, float)


def check_node(node: object, where: str) -> Json:
    """Return a valid node; its substeps are not checked.

    Raises ``InvalidRequestError`` with the path: ``substeps.0.metadata: …``.
    """
    prefix = f"{where}." if where else ""
    found = an_object(node, where or "the trace")
    for name in found:
        if name not in MEMBERS:
            raise InvalidRequestError(f"{prefix}{name}: a step has no such member")
    for name in (TYPE, METADATA):
        if name not in found:
            raise InvalidRequestError(f"{prefix}{name}: it is missing")
    a_text(found[TYPE], f"{prefix}{TYPE}")
    for name, value in an_object(found[METADATA], f"{prefix}{METADATA}").items():
        _check_plain(value, f"{prefix}{METADATA}.{name}")
    if found.get(VALUE) is not None:
        _check_plain(found[VALUE], f"{prefix}{VALUE}")
    elif not found.get(SUBSTEPS):
        raise InvalidRequestError(f"{prefix}{VALUE}: a step without substeps needs one")
    _check_rest(found, prefix)
    return found


def check_root(node: object) -> Json:
    """Return the root of a trace; raises ``InvalidRequestError`` for any other node."""
    found = check_node(node, "")
    if found[TYPE] != ROOT_STEP:
        raise InvalidRequestError(f"{TYPE}: the root of a trace is {ROOT_STEP}")
    return found


def substeps_of(node: Json, where: str) -> Sequence[tuple[object, str]]:
    """Return the unchecked substeps of a checked node, with their paths."""
    place = f"{where}.{SUBSTEPS}".lstrip(".")
    return [(one, f"{place}.{at}") for at, one in enumerate(node.get(SUBSTEPS) or ())]


def _check_rest(node: Json, prefix: str) -> None:
    if SUBSTEPS in node:
        a_list(node[SUBSTEPS], f"{prefix}{SUBSTEPS}")
    if node.get(EXECUTION, "serial") not in ("serial", "parallel", None):
        raise InvalidRequestError(f"{prefix}{EXECUTION}: it is serial or parallel")
    if node.get(EXPAND) is not None:
        for name, value in an_object(node[EXPAND], f"{prefix}{EXPAND}").items():
            a_text(value, f"{prefix}{EXPAND}.{name}")


def _check_plain(value: object, where: str) -> None:
    if not isinstance(value, _PLAIN):
        raise InvalidRequestError(f"{where}: a plain value is needed here, not {kind_of(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidRequestError(f"{where}: a finite number is needed here")
