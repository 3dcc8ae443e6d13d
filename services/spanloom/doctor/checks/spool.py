"""Checks of the spool: requests that are acknowledged but not stored yet."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.doctor.check import Verdict, ok, problem, warning
from spanloom.doctor.units import count, size, span

if TYPE_CHECKING:
    from spanloom.doctor.facts import DirectoryFacts, SpoolFacts

OLD_S = 300
FULL_SHARE = 0.9
AHEAD_S = 2
FAR_AHEAD_S = 300
SHOWN_REASONS = 3
_NS = 10**9


def spool(spool: SpoolFacts, directory: DirectoryFacts, now_ns: int) -> Verdict:
    """Problem from 90 % of its limit; warning if requests wait for 5 minutes, or for a start."""
    age_s = max(now_ns - spool.oldest_ns, 0) / _NS if spool.records else 0
    taken = spool.bytes + sum(letter.size for letter in spool.letters)
    summary = f"{size(taken)} of {size(spool.max_bytes)}"
    if spool.records:
        summary += f"; {count(spool.records, 'request')} waiting, the oldest for {span(age_s)}"
    start = f"`spanloom serve --data-dir {directory.path}`"
    if taken >= FULL_SHARE * spool.max_bytes:
        mend = "see the checks of the store" if directory.is_used else start
        return problem(summary, f"{mend}; --spool-max-bytes is its bound")
    if spool.records and not directory.is_used:
        return warning(summary, f"{start} stores them")
    if age_s > OLD_S:
        return warning(summary, "see the checks of the store, which does not keep up")
    return ok(summary)


def dead_letters(spool: SpoolFacts, now_ns: int) -> Verdict:
    """Problem if the store refused acknowledged requests; lists the reasons."""
    letters = spool.letters
    if not letters:
        return ok("none")
    oldest_s = (now_ns - min(letter.accepted_at_ns for letter in letters)) / _NS
    reasons = Counter(letter.reason for letter in letters).most_common(SHOWN_REASONS)
    return problem(
        f"{count(len(letters), 'request')}, {size(sum(letter.size for letter in letters))}, "
        f"the oldest {span(oldest_s)} old: " + "; ".join(f"{n} of: {why}" for why, n in reasons),
        "`spanloom dead-letters list`; `spanloom dead-letters retry --all` when the cause is gone",
    )


def damaged_spool(spool: SpoolFacts) -> Verdict:
    """Problem if a start found the spool damaged: unreadable records are not stored."""
    if not spool.damaged:
        return ok("none is kept")
    file = spool.damaged[-1]
    return problem(
        f"{count(len(spool.damaged), 'damaged file')} kept, the newest {file}",
        f"look at the disk's health; `sqlite3 {file} .recover` may show more; remove the file if "
        "that is not needed",
    )


def clock(spool: SpoolFacts, now_ns: int) -> Verdict:
    """Warning if the newest sequence is ahead of the clock by 2 s, problem by 5 minutes."""
    ahead_s = spool.last_seq / 1e6 - now_ns / _NS
    if ahead_s < AHEAD_S:
        return ok("not behind the newest request")
    summary = f"the clock is {span(ahead_s)} behind the newest request: it went back, or was wrong"
    todo = "let a time service (NTP) keep this machine's clock; the numbers go on meanwhile"
    return (problem if ahead_s >= FAR_AHEAD_S else warning)(summary, todo)
