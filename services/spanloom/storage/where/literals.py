"""The literals of a question, each handed to the store as a parameter of its query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.fields import FieldType

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

    def __init__(self) -> None:
        """Begin without any."""
        self.values: dict[str, object] = {}

    def text(self, value: str) -> str:
        """Return the place of a text in the query: ``{p0:String}``."""
        return self._place("String", value)

    def number(self, value: int) -> str:
        """Return the place of a whole number in the query."""
        return self._place("Int64", value)

    def of(self, kind: FieldType, value: Value) -> str:
        """Return the place of a value of a field of this type."""
        return self._place(TYPES[kind], value)

    def list_of(self, kind: FieldType, values: Sequence[Value]) -> str:
        """Return an expression for an array of values: as many as there are, it reads the same."""
        return f"JSONExtract({self._place('String', list(values))}, 'Array({TYPES[kind]})')"

    def _place(self, kind: str, value: object) -> str:
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f"{{{name}:{kind}}}"
