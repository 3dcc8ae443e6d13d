"""Failures that random steps have found, as shrunk steps, kept as tests after the fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.steps import Step


class Found(NamedTuple):
    """Steps that broke an invariant."""

    name: str
    """The invariant."""
    setup: Step
    steps: Sequence[Step]
    is_mended: bool = True


FOUND: Sequence[Found] = (
    # Between the two INSERTs, a run that moves in the list is at both places, even without a kill.
    Found(
        "one_place",
        (0, 0, 0, 4),
        [
            ("send", 0, 1, 0, 0, 0, 0),
            ("advance", 1),
            ("store", 0, 0),
            ("run", 0, 5),
            ("send", 0, 1, 0, 0, 0, 3),
            ("store", 0, 0),
            ("advance", 1),
            ("run", 0, 4),
        ],
    ),
    # A build of a part of a request is written after a whole build, with the same sequence.
    Found(
        "never_less",
        (0, 1, 0, 4),
        [
            ("send", 0, 1, 0, 0, 0, 0),
            ("run", 0, 0),
            ("run", 0, 0),
            ("store", 0, 0),
            ("send", 0, 1, 0, 1, 0, 0),
            ("expire", 0),
            ("store_block", 0, 4),
            ("run", 0, 4),
            ("store", 0, 0),
            ("run", 1, 5),
            ("run", 0, 1),
        ],
    ),
    # By one clock the run is live, by the other settled: both extractors write a first version.
    Found(
        "one_document",
        (0, 2, 1, 4),
        [
            ("send", 0, 0, 1, 0, 0, 0),
            ("store", 0, 0),
            ("advance", 1),
            ("run", 2, 0),
            ("run", 2, 4),
        ],
    ),
    # A live build, then a partial one, of the same spans.
    Found("distinct_ranks", (0, 0, 0, 4), [("send", 0, 0, 1, 0, 0, 0)]),
    # Two extractors build the same version.
    Found(
        "told_once",
        (1, 1, 1, 4),
        [
            ("send", 1, 0, 0, 0, 0, 0),
            ("store", 1, 0),
            ("run", 1, 0),
            ("run", 1, 4),
        ],
    ),
    # A process that is stopped before its INSERT considers it slow, and announces the run again.
    Found(
        "told_once",
        (0, 0, 0, 4),
        [
            ("run", 0, 1),
            ("send", 0, 0, 0, 0, 0, 0),
            ("store", 0, 0),
            ("advance", 1),
            ("run", 0, 3),
            ("run", 0, 1),
            ("run", 0, 4),
            ("advance", 5),
            ("run", 0, 1),
            ("advance", 4),
            ("run", 0, 1),
            ("follow",),
        ],
    ),
    # While a process is stopped before the INSERT of a version, another one announces the version.
    Found(
        "told_once",
        (0, 2, 2, 0, 0),
        [
            ("send", 0, 1, 0, 0, 0, 0),
            ("run", 2, 1),
            ("send", 0, 1, 0, 0, 0, 0),
            ("store", 0, 0),
            ("run", 2, 4),
            ("send", 0, 0, 0, 0, 0, 0),
            ("run", 2, 2),
            ("run", 2, 3),
            ("run", 0, 5),
            ("follow",),
            ("set_delay", 0, 3),
        ],
    ),
    # The version number decreases: the extractor that read more spans had queried the newest
    # version before there was one.
    Found(
        "told_is_stored",
        (0, 2, 0, 4),
        [
            ("run", 2, 1),
            ("send", 0, 0, 0, 0, 0, 3),
            ("store", 0, 0),
            ("advance", 1),
            ("run", 2, 2),
            ("send", 0, 0, 0, 0, 0, 0),
            ("run", 2, 2),
        ],
    ),
    # The change row of a span is visible, the span is not, and arrived more than a minute ago.
    Found(
        "as_one_extractor",
        (0, 0, 0, 4),
        [
            ("send", 0, 0, 0, 0, 0, 0),
            ("advance", 6),
            ("store_block", 0, 2),
            ("run", 0, 4),
        ],
    ),
    # A slower extractor replaces a partial build of the same spans by a live one, and is killed.
    Found(
        "not_live",
        (0, 1, 1, 4),
        [
            ("send", 0, 0, 1, 0, 0, 0),
            ("store", 0, 0),
            ("run", 0, 3),
            ("run", 1, 5),
            ("advance", 1),
            ("run", 0, 4),
            ("kill", 0),
        ],
    ),
    # Arrived spans are counted in a table that lags behind the changes; no extractor looks again.
    Found(
        "nothing_due",
        (1, 0, 0, 4),
        [
            ("set_delay", 2, 2),
            ("send", 0, 0, 0, 0, 0, 0),
            ("send", 1, 0, 0, 0, 0, 0),
            ("store", 0, 0),
            ("advance", 3),
            ("store", 1, 0),
            ("run", 0, 4),
        ],
    ),
    # The first look fails after it has noted hours for slices that another extractor then has.
    Found(
        "nothing_due",
        (0, 1, 0, 0, 1),
        [
            ("run", 0, 0),
            ("send", 0, 1, 1, 0, 0, 0),
            ("store_block", 1, 2),
            ("run", 0, 1),
            ("kill_store",),
        ],
    ),
    # More spans are read than the lagging table counts as arrived, and than a trace may have.
    Found(
        "as_one_extractor",
        (0, 0, 2, 0, 0),
        [
            ("set_delay", 2, 2),
            ("send", 0, 0, 2, 2, 0, 0),
            ("send", 0, 0, 0, 1, 0, 0),
            ("store", 0, 0),
            ("run", 0, 4),
        ],
    ),
    # An open copy of a finished span must change nothing, but a build that had read it gave the run
    # a later arrival than a build that had not, and was written last.
    Found(
        "as_one_extractor",
        (0, 1, 0, 0, 1),
        [
            ("advance", 6),
            ("run", 1, 0),
            ("kill_store",),
            ("run", 0, 0),
            ("send", 0, 0, 0, 0, 0, 4),
            ("run", 1, 3),
            ("set_delay", 0, 3),
            ("advance", 6),
            ("store_block", 0, 2),
            ("advance", 6),
            ("run", 1, 3),
            ("run", 1, 3),
            ("send", 0, 0, 0, 0, 2, 0),
        ],
    ),
    # A slower extractor builds an ended run from the same spans as live, and loses its slice.
    Found(
        "nothing_due",
        (1, 2, 1, 0, 1),
        [
            ("run", 2, 0),
            ("run", 0, 0),
            ("run", 2, 2),
            ("advance", 4),
            ("run", 0, 0),
            ("send", 0, 1, 1, 0, 0, 0),
            ("run", 2, 0),
            ("kill", 0),
            ("set_delay", 0, 3),
            ("advance", 6),
            ("store_block", 0, 2),
            ("run", 2, 3),
            ("advance", 1),
            ("run", 2, 2),
        ],
    ),
    # The same happens to an extractor that has read no spans, and whose build is whole because the
    # other extractor has recorded its own.
    Found(
        "nothing_due",
        (1, 1, 0, 0, 1),
        [
            ("send", 1, 1, 0, 0, 0, 0),
            ("send", 0, 0, 1, 0, 0, 0),
            ("store_block", 1, 2),
            ("advance", 1),
            ("run", 1, 3),
            ("store_block", 0, 3),
            ("store_block", 0, 0),
            ("run", 1, 3),
            ("run", 1, 3),
            ("advance", 6),
        ],
    ),
    # A build with a repeated request equals the stored build, so it is not written. Then an
    # extractor that has read less than that build, but more than the stored one, writes a live
    # build, and loses its slice.
    Found(
        "as_one_extractor",
        (0, 1, 0, 0, 1),
        [
            ("send", 0, 0, 0, 0, 0, 0),
            ("store", 0, 0),
            ("resend", 0, 0),
            ("set_delay", 0, 2),
            ("advance", 1),
            ("run", 0, 4),
            ("run", 1, 0),
            ("store_block", 0, 0),
            ("run", 0, 4),
            ("resend", 0, 0),
            ("kill_store",),
            ("advance", 4),
            ("run", 1, 4),
            ("run", 0, 0),
        ],
    ),
    # A failed attempt replaces the record of a whole build, and its extractor then loses the slice.
    Found(
        "nothing_due",
        (0, 1, 0, 0, 1),
        [
            ("run", 0, 3),
            ("send", 0, 1, 0, 0, 0, 0),
            ("store", 0, 0),
            ("advance", 4),
            ("run", 1, 5),
            ("expire", 0),
            ("run", 0, 3),
            ("kill_store",),
        ],
    ),
)
