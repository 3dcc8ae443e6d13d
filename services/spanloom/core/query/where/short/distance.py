"""The edit distance of two words: letters inserted, removed or replaced."""

from __future__ import annotations


def resembles(word: str, other: str, most: int) -> bool:
    """Return whether at most ``most`` letters differ: ``durtion`` and ``duration`` by one."""
    if abs(len(word) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        following = [at]
        for to, wanted in enumerate(other, 1):
            exchanged = row[to - 1] + (letter != wanted)
            following.append(min(row[to] + 1, following[to - 1] + 1, exchanged))
        row = following
    return row[-1] <= most
