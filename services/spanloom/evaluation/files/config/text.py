"""Parses the text of ``eval.yaml`` into plain values, and finds the lines of its keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.annotation.yaml_tree import (
    Node,
    Remark,
    SchemeError,
    parse_yaml,
    to_plain,
)
from spanloom.core.errors import PermanentError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_BYTES = 1 << 20
"""Maximum bytes of the file, including prompts of judges."""
THE_TEXT = "the text"


class ConfigError(PermanentError):
    """The file is invalid; ``faults`` has line, key and reason of each fault."""

    def __init__(self, faults: Sequence[Remark]) -> None:
        """Build the message, a line for each fault."""
        super().__init__("\n".join(f"line {f.line}: {f.key}: {f.reason}" for f in faults))
        self.faults = faults


class Places(NamedTuple):
    """Finds the lines of keys such as ``gates.0.min``."""

    root: Node

    def line_of(self, place: str) -> int:
        """Return the line of a key, or of the nearest enclosing key that exists."""
        node, line, left = self.root, self.root.line, place.split(".")
        while left:
            found = self._step(node, left)
            if found is None:
                return line
            node, line, left = found
        return line

    @staticmethod
    def _step(node: Node, left: Sequence[str]) -> tuple[Node, int, list[str]] | None:
        """Return the child named by the first segments of ``left``, its line, and later segments.

        A key may contain dots, so it may be several segments. ``None`` if there is no such child.
        """
        if isinstance(node.value, list):
            at = left[0]
            if not at.isdecimal() or int(at) >= len(node.value):
                return None
            return node.value[int(at)], node.value[int(at)].line, [*left[1:]]
        for end in range(1, len(left) + 1):
            if (key := ".".join(left[:end])) in node.members:
                line = node.key_lines.get(key, node.members[key].line)
                return node.members[key], line, [*left[end:]]
        return None

    def fault(self, place: str, reason: str) -> Remark:
        """Return a fault at a key, with the key's line."""
        return Remark(self.line_of(place), place or THE_TEXT, reason)


def read_text(text: bytes) -> tuple[Any, Places]:  # YAML values
    """Return the plain values of YAML or JSON, and their lines; raises ``ConfigError``."""
    if len(text) > MOST_BYTES:
        reason = f"it has over {MOST_BYTES >> 20} MiB"
        raise ConfigError([Remark(1, THE_TEXT, reason)])
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ConfigError([Remark(line, THE_TEXT, "it is no UTF-8")]) from error
    is_json, value = _as_json(decoded)
    # JSON allows tabs between values, YAML does not; strings of JSON contain no tabs.
    try:
        root = parse_yaml(decoded.replace("\t", " ") if is_json else decoded, has_unique_keys=True)
    except SchemeError as error:
        raise ConfigError(error.remarks) from error
    return (value if is_json else to_plain(root)), Places(root)


def _as_json(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON, and its JSON value; YAML would read ``1e5`` as text."""
    if not text.lstrip().startswith("{"):
        return False, None
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None
