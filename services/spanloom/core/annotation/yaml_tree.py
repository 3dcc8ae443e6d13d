"""Parses YAML (and so JSON) into a tree whose nodes know their line, for remarks."""

from __future__ import annotations

from typing import NamedTuple

import yaml

MOST_NODES = 20_000
"""Far beyond real schemes; a limit against nested aliases that expand without end."""


class Remark(NamedTuple):
    """A remark on a line of a scheme: what was not understood or read differently, and why."""

    line: int
    """From 1."""
    key: str
    reason: str


class SchemeError(ValueError):
    """The text is not a valid scheme; ``remarks`` have the lines and reasons."""

    def __init__(self, *remarks: Remark) -> None:
        """Build the message from the remarks."""
        super().__init__("; ".join(f"line {r.line}: {r.key}: {r.reason}" for r in remarks))
        self.remarks = remarks


class Node(NamedTuple):
    """A YAML value: a scalar, a list of nodes, or a mapping of texts to nodes."""

    value: object
    line: int

    @property
    def items(self) -> list[Node]:
        """The nodes of a list; empty for other values."""
        return self.value if isinstance(self.value, list) else []

    @property
    def members(self) -> dict[str, Node]:
        """The nodes of a mapping by key; empty for other values."""
        return self.value if isinstance(self.value, dict) else {}


def to_plain(node: Node) -> object:
    """Return a tree as plain lists, mappings and scalars; dates become texts."""
    if isinstance(node.value, list):
        return [to_plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {key: to_plain(item) for key, item in node.value.items()}
    is_json = node.value is None or isinstance(node.value, (str, int, float))
    return node.value if is_json else str(node.value)


def parse_yaml(text: str) -> Node:
    """Return the tree of a text; raises ``SchemeError`` for invalid YAML."""
    try:
        return _parse(text.removeprefix("\ufeff"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise SchemeError(Remark(line, "the text", f"it is no YAML: {error.problem}")) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, SchemeError):
            raise
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise SchemeError(Remark(1, "the text", f"it is no YAML: {why}")) from error


def _parse(text: str) -> Node:
    loader = yaml.SafeLoader(text)  # raises for characters that YAML does not allow
    root = loader.get_single_node()
    if root is None:
        raise SchemeError(Remark(1, "the text", "it is empty"))
    return _Reader(loader).read(root)


class _Reader:
    """Converts PyYAML nodes to ``Node``."""

    def __init__(self, loader: yaml.SafeLoader) -> None:
        self._loader = loader
        self._left = MOST_NODES

    def read(self, node: yaml.Node) -> Node:
        self._left -= 1
        if self._left < 0:
            raise SchemeError(Remark(_line(node), "the text", f"it has over {MOST_NODES:,} values"))
        if isinstance(node, yaml.SequenceNode):
            return Node([self.read(item) for item in node.value], _line(node))
        if isinstance(node, yaml.MappingNode):
            self._loader.flatten_mapping(node)
            pairs = [(str(self._scalar(k)), self.read(v)) for k, v in node.value]
            return Node(dict(pairs), _line(node))
        return Node(self._scalar(node), _line(node))

    def _scalar(self, node: yaml.Node) -> object:
        if not isinstance(node, yaml.ScalarNode):
            raise SchemeError(Remark(_line(node), "the text", "a key has to be a text"))
        try:
            value: object = self._loader.construct_object(node)
        except yaml.constructor.ConstructorError:  # an application's tag: read as plain text
            value = node.value
        return value


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
