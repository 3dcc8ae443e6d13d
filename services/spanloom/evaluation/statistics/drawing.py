"""Fast draws with replacement: the indexes of a draw are bytes, computed without a Python loop.

Random bytes at or above the largest multiple of the number of items are deleted; the rest modulo
this number are uniform. A draw from up to 256 items is a slice of these bytes.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Seed = int | str | bytes
MOST = 256
"""Maximum items that a byte can index."""
_AT_ONCE = 1 << 15
"""Random bytes generated at a time."""


def draws(n: int, times: int, seed: Seed) -> Iterator[bytes]:
    """Yield ``times`` draws of ``n`` indexes below ``n``, with replacement; 1 ≤ n ≤ 256."""
    random = Random(seed)  # noqa: S311  # not a secret: seeded, so that results repeat
    usable = MOST - MOST % n
    table, beyond = bytes(at % n for at in range(MOST)), bytes(range(usable, MOST))
    held, at = b"", 0
    for _ in range(times):
        while len(held) - at < n:
            held = held[at:] + random.randbytes(_AT_ONCE).translate(table, beyond)
            at = 0
        yield held[at : at + n]
        at += n
