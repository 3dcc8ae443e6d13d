"""The choice of a media type by the header ``Accept`` (RFC 9110, 12.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class NotAcceptableError(SpanloomError):
    """The ``Accept`` header allows no available format."""

    def __init__(self, accept: str, available: Iterable[str], more: str) -> None:
        """Build the message from the available media types."""
        self.available = list(available)
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


def preferred(accept: str, available: Iterable[str], more: str) -> str:
    """Return the media type that a header prefers, the first of ``available`` without a header.

    Among equal weights the type named first wins; the first of ``available`` wins remaining ties.
    Raises ``NotAcceptableError`` if the header allows none; ``more`` ends its message.
    """
    available = list(available)
    ranges = [_read(part) for part in accept.split(",") if part.strip()]
    if not ranges:
        return available[0]
    weights = {media: _weight_of(ranges, media) for media in available}
    best = max(weights, key=lambda media: weights[media])  # among equals, the first
    if weights[best][0] <= 0:
        raise NotAcceptableError(accept, available, more)
    return best


def _weight_of(ranges: Sequence[_Range], media: str) -> tuple[float, int]:
    """Return the weight of the most specific range that matches, and its negated index."""
    at = max(range(len(ranges)), key=lambda place: ranges[place].covers(media))
    return (ranges[at].weight if ranges[at].covers(media) else 0.0, -at)


def _read(part: str) -> _Range:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weights = [p.removeprefix("q=") for p in parameters if p.startswith("q=")]
    try:
        return _Range(media, float(weights[0]) if weights else 1.0)
    except ValueError:
        return _Range(media, 0.0)
