"""What random steps have found, shrunk, and kept after it was mended."""

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
    # Between its two INSERTs a run that moves is at both places, also without any death.
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
    # A build that read part of a request, and claims the sequence, is written after a whole one.
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
    # Of two clocks one says live, the other settled: each writes the first version.
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
    # Live, then partial, of the same spans.
    Found("distinct_ranks", (0, 0, 0, 4), [("send", 0, 0, 1, 0, 0, 0)]),
    # Two extractors build the same.
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
    # A process that is stopped before the INSERT holds it for slow, and announces again.
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
    # A process that is stopped before the INSERT of a version that another has announced meanwhile.
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
    # The version number goes back: who read more had asked for the head before there was one.
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
    # The change of a span is visible, the span is not, and a minute has passed since it came.
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
    # A live build of who was slower replaces the partial one of the same spans, and dies then.
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
    # What arrived is counted in a table that lags behind the changes, and nobody looks again.
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
    # The first look fails after it has noted hours for slices that another extractor has then.
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
    # More spans are read than have arrived by the table that lags, and than a trace may have.
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
    # An open copy of a finished span counts for nothing: a build that knew of it said that the run
    # arrived later than one that did not, and was written last.
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
    # A slower builder of the same spans calls a run live that was ended, and loses its slice.
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
    # So does one that has read nothing, and is whole because the other has recorded its build.
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
    # What was sent again has the content of the stored build, which is not written; then who has
    # read less than that, and more than the stored one, writes it live, and loses its slice.
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
    # Open: an attempt that failed replaces the record of a whole build, and its slice is lost then.
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
