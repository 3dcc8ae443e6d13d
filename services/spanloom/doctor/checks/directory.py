"""Checks of the data directory, its disk, and the spool in it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.collector.spool.free_space import comfortable_free
from spanloom.doctor.check import Verdict, count, ok, problem, size, span, warning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.doctor.facts import DirectoryFacts, DiskFacts, SpoolFacts


GIB = 1 << 30


def directory(directory: DirectoryFacts) -> Verdict:
    """Problem if it is missing, not a data directory, not writable, or of a newer format."""
    path = directory.path
    if not directory.exists:
        return problem(
            f"there is no directory {path}",
            f"name another with --data-dir; `spanloom serve --data-dir {path}` makes this one",
        )
    if not directory.is_writable:
        return problem(f"{path} cannot be written", f"`chown -R $(id -u) {path}`")
    if directory.is_empty:
        return ok(f"{path} is empty: the first `spanloom serve` fills it")
    if directory.format is None:
        return problem(
            f"{path} is not a data directory: its FORMAT holds no number",
            "name another with --data-dir",
        )
    if directory.format > directory.known_format:
        return problem(
            f"{path} has format {directory.format}; this version knows {directory.known_format}",
            "`pip install --upgrade spanloom`, or name another with --data-dir",
        )
    return ok(f"{path}, format {directory.format}")


def owner(directory: DirectoryFacts) -> Verdict:
    """Warning if the last process that used it was killed; shows the one that uses it now."""
    if directory.is_used:
        return ok(f"process {directory.owner} uses it")
    if directory.was_killed:
        return warning(
            f"no process uses it, and process {directory.owner or 'unknown'} did not end cleanly",
            f"`spanloom serve --data-dir {directory.path}` stores what was acknowledged",
        )
    return ok("no process uses it")


def disk(disk: DiskFacts, spool: SpoolFacts) -> Verdict:
    """Problem with less than 2 GiB or 5 % free; warning if the spool may outgrow the free space."""
    summary = f"{size(disk.free)} of {size(disk.total)} free"
    if disk.free < disk.min_free:
        summary += f": requests are refused below {size(disk.min_free)} (--min-free-bytes)"
    if disk.free < comfortable_free(disk.total, disk.min_free):
        return problem(summary, "free space, or remove old data with --retention-days")
    room = spool.max_bytes - spool.bytes - sum(letter.size for letter in spool.letters)
    if disk.free < room:
        return warning(
            f"{summary}; the spool may grow by {size(room)}",
            f"`--spool-max-bytes {disk.free // 2 // GIB} GiB`, or free space",
        )
    return ok(f"{summary}; the spool may grow by {size(max(room, 0))}")


def sizes(disk: DiskFacts) -> Verdict:
    """Report the sizes of store, spool and observations on the disk."""
    return ok(", ".join(f"{name} {size(taken)}" for name, taken in disk.sizes.items()))


def files(files: Sequence[str]) -> Verdict:
    """Problem if another file needed at the start cannot be read: the service cannot start."""
    if not files:
        return ok("the other files needed at the start can be read")
    return problem("; ".join(files), "repair it, or restore a backup: `spanloom restore`")


OLD_S = 300
FULL_SHARE = 0.9
AHEAD_S = 2
FAR_AHEAD_S = 300
SHOWN_REASONS = 3
_NS = 10**9


def spool(spool: SpoolFacts, directory: DirectoryFacts, now_ns: int) -> Verdict:
    """Problem from 90 % of its limit; warning for requests older than 5 minutes or without reader.

    Requests have no reader if no service uses the directory.
    """
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
        f"check the disk's health; `sqlite3 {file} .recover` may show more; remove the file if "
        "that is not needed",
    )


def clock(spool: SpoolFacts, now_ns: int) -> Verdict:
    """Warning if the newest sequence is ahead of the clock by 2 s, problem by 5 minutes."""
    ahead_s = spool.last_seq / 1e6 - now_ns / _NS
    if ahead_s < AHEAD_S:
        return ok("not behind the newest request")
    summary = f"the clock is {span(ahead_s)} behind the newest request: it went back, or was wrong"
    todo = "let a time service (NTP) keep this machine's clock; sequences keep growing meanwhile"
    return (problem if ahead_s >= FAR_AHEAD_S else warning)(summary, todo)
