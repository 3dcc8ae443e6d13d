"""Checks of the data directory and its disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.doctor.check import Verdict, ok, problem, warning
from spanloom.doctor.units import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.doctor.facts import DirectoryFacts, DiskFacts, SpoolFacts

GIB = 1 << 30
MIN_FREE_BYTES = 2 * GIB
MIN_FREE_SHARE = 0.05


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
            f"no process uses it, and process {directory.owner or 'unknown'} did not end by itself",
            f"`spanloom serve --data-dir {directory.path}`: what was acknowledged is stored then",
        )
    return ok("no process uses it")


def disk(disk: DiskFacts, spool: SpoolFacts) -> Verdict:
    """Problem with less than 2 GiB or 5 % free; warning if the spool may outgrow the free space."""
    summary = f"{size(disk.free)} of {size(disk.total)} free"
    if disk.free < disk.min_free:
        summary += f": requests are refused below {size(disk.min_free)} (--min-free-bytes)"
    if disk.free < max(disk.min_free, MIN_FREE_BYTES, disk.total * MIN_FREE_SHARE):
        return problem(summary, "make room, or let old data go with --retention-days")
    room = spool.max_bytes - spool.bytes - sum(letter.size for letter in spool.letters)
    if disk.free < room:
        return warning(
            f"{summary}; the spool may grow by {size(room)}",
            f"`--spool-max-bytes {disk.free // 2 // GIB} GiB`, or make room",
        )
    return ok(f"{summary}; the spool may grow by {size(max(room, 0))}")


def sizes(disk: DiskFacts) -> Verdict:
    """Report the sizes of store, spool and observations on the disk."""
    return ok(", ".join(f"{name} {size(taken)}" for name, taken in disk.sizes.items()))


def files(files: Sequence[str]) -> Verdict:
    """Problem if another file needed at the start cannot be read: nothing starts then."""
    if not files:
        return ok("the others that a start reads can be read")
    return problem("; ".join(files), "mend it, or restore a backup: `spanloom restore`")
