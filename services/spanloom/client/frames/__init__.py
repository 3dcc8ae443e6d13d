"""Converts rows of a list to a table of PyArrow, polars or pandas.

In: rows as plain JSON values, whose columns and types ``columns.py`` determines, or a stream of
Arrow, which is read unchanged. Out: one table with the same columns in all three libraries, even if
there are no rows. Start with ``Frames``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from spanloom.client.errors import NotInstalledError
from spanloom.client.frames.columns import Column, Columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

FrameT = TypeVar("FrameT")
FrameT_co = TypeVar("FrameT_co", covariant=True)
_ARROW_END = b"\xff\xff\xff\xff" + bytes(4)
"""The end marker of a complete stream of Arrow."""
ROWS_AT_ONCE = 20_000
"""Maximum rows held as Python objects, which take ten times the memory of columns."""


class Library(Protocol[FrameT_co]):
    """The functions that ``arrow.py``, ``polars.py`` and ``pandas.py`` each define."""

    def make(self, columns: Mapping[str, Column]) -> FrameT_co:
        """Return a frame made of columns."""

    def read(self, stream: bytes) -> FrameT_co:
        """Return a frame read from a stream of Arrow."""

    def join(self, frames: Sequence[Any]) -> FrameT_co:  # frames made by the same library
        """Return the frames concatenated by row; columns missing in a frame are null there."""


class Frames(Generic[FrameT]):
    """Collects rows into one frame of a library."""

    def __init__(self, library: str, model: type[BaseModel], *, has_all: bool = True) -> None:
        """Load the library; raises ``NotInstalledError`` if it is missing.

        If ``has_all`` is false the frame has only the columns that occur in rows.
        """
        try:
            module = import_module(f"spanloom.client.frames.{library}")
        except ImportError as error:
            raise NotInstalledError(
                f"{error.name} is not installed; pip install 'spanloom[{library}]'"
            ) from error
        self._library = cast("Library[FrameT]", module)
        self.reads_arrow = library != "pandas" or find_spec("pyarrow") is not None
        """Whether a stream of Arrow can be read; pandas needs PyArrow for that."""
        self._columns, self._frames = Columns(model, has_all=has_all), list[FrameT]()

    def add(self, rows: Sequence[dict[str, Any]]) -> None:  # parsed JSON
        """Add rows; many rows at a time are converted into a frame."""
        self._columns.add(rows)
        if self._columns.height >= ROWS_AT_ONCE:
            self._frames.append(self._library.make(self._columns.take()))

    def read(self, stream: bytes) -> FrameT:
        """Return one frame of all rows in a service's stream of Arrow.

        Raises ``ValueError`` if the stream is cut off, because a reader of Arrow would not notice.
        """
        if not stream.endswith(_ARROW_END):
            raise ValueError("the table ends early")
        return self._library.read(stream)

    def whole(self) -> FrameT:
        """Return one frame of all rows."""
        last = self._library.make(self._columns.take())
        return self._library.join([*self._frames, last]) if self._frames else last
