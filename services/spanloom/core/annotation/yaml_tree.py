"""Parses YAML (and so JSON) into a tree of nodes with line numbers, which remarks need."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # a NamedTuple keeps its types
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NODES = 20_000
"""Maximum number of nodes, far more than in real schemes; limits nested aliases, which expand."""
_MERGE = "tag:yaml.org,2002:merge"
_NO_LINES: Mapping[str, int] = MappingProxyType({})


class Remark(NamedTuple):
    """A remark on a line that is not understood, or that Potato interprets differently."""

    line: int
    """Line number, from 1."""
    key: str
    reason: str


class SchemeError(ValueError):
    """Raised if a text is not a valid scheme; ``remarks`` have the lines and reasons."""

    def __init__(self, *remarks: Remark) -> None:
        """Build the message from the remarks."""
        super().__init__("; ".join(f"line {r.line}: {r.key}: {r.reason}" for r in remarks))
        self.remarks = remarks


class Node(NamedTuple):
    """A YAML value: a scalar, a list of nodes, or a mapping of texts to nodes."""

    value: object
    line: int
    key_lines: Mapping[str, int] = _NO_LINES
    """The line of each key of a mapping."""

    @property
    def items(self) -> list[Node]:
        """The nodes of a list; empty for other values."""
        return self.value if isinstance(self.value, list) else []

    @property
    def members(self) -> dict[str, Node]:
        """The nodes of a mapping, keyed by key; empty for other values."""
        return self.value if isinstance(self.value, dict) else {}


def to_plain(node: Node) -> object:
    """Return a tree as plain lists, mappings and scalars; dates become texts."""
    if isinstance(node.value, list):
        return [to_plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {key: to_plain(item) for key, item in node.value.items()}
    is_json = node.value is None or isinstance(node.value, (str, int, float))
    return node.value if is_json else str(node.value)


def parse_yaml(text: str, *, has_unique_keys: bool = False) -> Node:
    """Return the tree of a text; raises ``SchemeError`` for invalid YAML.

    If a key is repeated, its last value counts; if ``has_unique_keys``, that is an error.
    """
    try:
        return _parse(text.removeprefix("\ufeff"), has_unique_keys)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise SchemeError(Remark(line, "the text", f"it is no YAML: {error.problem}")) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, SchemeError):
            raise
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise SchemeError(Remark(1, "the text", f"it is no YAML: {why}")) from error


def _parse(text: str, has_unique_keys: bool) -> Node:
    loader = _Loader(text)  # raises for characters that YAML does not allow
    root = loader.get_single_node()
    if root is None:
        raise SchemeError(Remark(1, "the text", "it is empty"))
    return _Reader(loader, has_unique_keys).read(root)


class _Loader(yaml.SafeLoader):
    """Raises an error for a text with more than ``MOST_NODES`` nodes."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._composed = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._composed += 1
        if self._composed > 2 * MOST_NODES:  # keys are nodes too
            raise _too_many(self.line + 1)
        return super().compose_node(parent, index)


class _Reader:
    """Converts PyYAML nodes to ``Node``."""

    def __init__(self, loader: yaml.SafeLoader, has_unique_keys: bool) -> None:
        self._loader = loader
        self._has_unique_keys = has_unique_keys
        self._left = MOST_NODES

    def read(self, node: yaml.Node) -> Node:
        self._count(node)
        if isinstance(node, yaml.SequenceNode):
            return Node([self.read(item) for item in node.value], _line(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        return Node(self._scalar(node), _line(node))

    def _mapping(self, node: yaml.MappingNode) -> Node:
        pairs: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in self._pairs(node):
            name = str(self._scalar(key))
            pairs[name], lines[name] = self.read(value), _line(key)
        return Node(pairs, _line(node), lines)

    def _pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """Yield the pairs merged into a mapping (``<<``), then its own pairs, which override."""
        own: dict[object, int] = {}
        for key, value in node.value:
            if key.tag == _MERGE:
                yield from self._merged(value)
        for key, value in node.value:
            if key.tag == _MERGE:
                continue
            if self._has_unique_keys and (name := str(self._scalar(key))) in own:
                reason = f"it is there twice, first in line {own[name]}"
                raise SchemeError(Remark(_line(key), name, reason))
            own[str(self._scalar(key))] = _line(key)
            yield key, value

    def _merged(self, value: yaml.Node) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """Yield the pairs of one or several mappings; pairs of earlier mappings take precedence."""
        several = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for one in reversed(several):
            if not isinstance(one, yaml.MappingNode):
                raise SchemeError(Remark(_line(one), "<<", "only mappings can be merged"))
            for pair in self._pairs(one):
                self._count(pair[0])
                yield pair

    def _count(self, node: yaml.Node) -> None:
        self._left -= 1
        if self._left < 0:
            raise _too_many(_line(node))

    def _scalar(self, node: yaml.Node) -> object:
        if not isinstance(node, yaml.ScalarNode):
            raise SchemeError(Remark(_line(node), "the text", "a key has to be a text"))
        try:
            value: object = self._loader.construct_object(node)
        except yaml.constructor.ConstructorError:  # a tag of some application: read as plain text
            value = node.value
        return value


def _too_many(line: int) -> SchemeError:
    return SchemeError(Remark(line, "the text", f"it has over {MOST_NODES:,} values"))


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
