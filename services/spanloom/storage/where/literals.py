"""The literals of a question, each handed to the store as a parameter of its query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.where.fields import Value

TYPES = {
    FieldType.TEXT: "String",
    FieldType.WORDS: "String",
    FieldType.CHOICE: "String",
    FieldType.INTEGER: "Int64",
    FieldType.NUMBER: "Float64",
    FieldType.DURATION: "Int64",
    FieldType.TIME: "Int64",
    FieldType.FLAG: "Bool",
}


class Literals:
    """Gives each literal the name of a parameter, ``p0``, ``p1`` and so on, and keeps its value."""

    def __init__(self, prefix: str = "p") -> None:
        """Begin without any; two that meet in one query begin their names with other letters."""
        self._prefix = prefix
        self.values: dict[str, object] = {}

    def text(self, value: str) -> str:
        """Return the place of a text in the query: ``{p0:String}``."""
        return self._place("String", value)

    def texts(self, values: Sequence[str]) -> str:
        """Return an expression for an array of texts."""
        return self.list_of(FieldType.TEXT, values)

    def next_name(self) -> str:
        """Return a name under which nothing stands yet."""
        return f"{self._prefix}{len(self.values)}"

    def number(self, value: int) -> str:
        """Return the place of a whole number in the query."""
        return self._place("Int64", value)

    def of(self, kind: FieldType, value: Value) -> str:
        """Return the place of a value of a field of this type."""
        is_late = kind is FieldType.TIME and isinstance(value, int) and value >= 2**63
        return self._place("UInt64" if is_late else TYPES[kind], value)

    def list_of(self, kind: FieldType, values: Sequence[Value]) -> str:
        """Return an expression for an array of values: as many as there are, it reads the same."""
        return f"JSONExtract({self._place('String', list(values))}, 'Array({TYPES[kind]})')"

    def _place(self, kind: str, value: object) -> str:
        name = self.next_name()
        self.values[name] = value
        return f"{{{name}:{kind}}}"
