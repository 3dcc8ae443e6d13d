"""Who of a queue's annotators gets which item, without locks: everybody works out the same.

Each item goes to those who have least, and among these to the highest hash of item and annotator.
By the hash alone a hundred items for four people would be five off, up or down, more often than
not. Items keep their order, so one that is added changes nothing of those before it.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def assign(
    items: Sequence[str],
    annotators: Sequence[str],
    each: int,
    done: Mapping[str, Collection[str]],
    away: Collection[str] = (),
) -> Mapping[str, Sequence[str]]:
    """Return the annotators of each item: ``each`` of them, or all if there are fewer.

    Those who are ``away`` keep what they have done; what they have not goes to others, and nothing
    of theirs moves. Whoever did an item that was not theirs counts among its annotators.
    """
    load: Counter[str] = Counter()
    found = {item: _least_loaded(item, annotators, each, load) for item in items}
    for item in items:
        finished = done.get(item, ())
        stay = [who for who in found[item] if who not in away or who in finished]
        load.subtract(set(found[item]) - set(stay))
        extra = [who for who in finished if who not in stay]
        load.update(extra)
        free = [who for who in annotators if who not in away and who not in (*stay, *extra)]
        lacking = max(0, min(each, len(annotators)) - len(stay) - len(extra))
        found[item] = [*stay, *extra, *_least_loaded(item, free, lacking, load)]
    return found


def _least_loaded(
    item: str, annotators: Sequence[str], count: int, load: Counter[str]
) -> list[str]:
    """Return so many annotators for an item, and count it as theirs."""
    ordered = sorted(annotators, key=lambda who: (load[who], _rank(item, who)))[:count]
    load.update(ordered)
    return ordered


def _rank(item: str, annotator: str) -> bytes:
    """Return what puts annotators of one item in an order that nobody chose."""
    return blake2b(f"{item}\0{annotator}".encode(errors="replace"), digest_size=8).digest()
