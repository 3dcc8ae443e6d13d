"""Content negotiation: the format of rows that an ``Accept`` header prefers (RFC 9110, 12.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import SpanloomError
from spanloom.core.formats.entry import JSON, Of, Via
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.api.rows.forms import Form
    from spanloom.core.formats.entry import Format

_FORMS = list(formats_of(Of.ROWS, Via.ACCEPT).values())
_NOT_INSTALLED = (
    "; Arrow and Parquet are there once PyArrow is installed beside the service: "
    "pip install 'spanloom[arrow]'"
)


class NotAcceptableError(SpanloomError):
    """The ``Accept`` header allows no available format."""

    def __init__(self, accept: str, there_is: Iterable[str], more: str) -> None:
        """List the available media types."""
        self.available = list(there_is)
        listed = ", ".join(self.available)
        super().__init__(f"No rows in {accept!r}; accept one of {listed}{more}.")


class _Range(NamedTuple):
    """One media range of the header with its weight: ``text/*;q=0.5``."""

    media: str
    weight: float

    def covers(self, media: str) -> int:
        """Return how specifically the range matches a media type; 0: not at all."""
        if self.media == media:
            return 3
        if self.media == f"{media.partition('/')[0]}/*":
            return 2
        return int(self.media == "*/*")


def form_for(accept: str) -> type[Form] | None:
    """Return the writer of the format that a header prefers; ``None`` is JSON.

    Among equal weights the format named first wins; JSON wins remaining ties. Raises
    ``NotAcceptableError`` if the header allows none.
    """
    there_is = _available()
    ranges = [_read(part) for part in accept.split(",") if part.strip()]
    if not ranges:
        return None
    wanted = {media: _wanted(ranges, media) for media in there_is}
    best = max(wanted, key=lambda media: wanted[media])  # the first of equals, so JSON wins ties
    if wanted[best][0] <= 0:
        has_all = len(there_is) > len(_FORMS)
        raise NotAcceptableError(accept, there_is, "" if has_all else _NOT_INSTALLED)
    chosen = there_is[best]
    if chosen is None:
        return None
    form: type[Form] = chosen.load_writer()
    return form


def _available() -> Mapping[str, Format | None]:
    """Return the formats whose libraries are installed, by media type; JSON first."""
    installed = {form.media_type: form for form in _FORMS if form.is_installed}
    return {JSON: None, **installed}


def _wanted(ranges: Sequence[_Range], media: str) -> tuple[float, int]:
    """Return the weight of the most specific range that matches, and its negated place."""
    at = max(range(len(ranges)), key=lambda place: ranges[place].covers(media))
    return (ranges[at].weight if ranges[at].covers(media) else 0.0, -at)


def _read(part: str) -> _Range:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weights = [p.removeprefix("q=") for p in parameters if p.startswith("q=")]
    try:
        return _Range(media, float(weights[0]) if weights else 1.0)
    except ValueError:
        return _Range(media, 0.0)
