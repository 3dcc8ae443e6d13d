"""Converts the annotations of a line to scores of the annotated steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.invariant_annotations import ANNOTATION, evidence_of
from spanloom.core.exchange.scored import usable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.conventions.invariant_addresses import Addresses
    from spanloom.core.conventions.invariant_annotations import Annotation
    from spanloom.core.exchange.invariant.lines import Line
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses


def scores_of(
    line: Line, addresses: Addresses, run: tuple[str, int], losses: Losses
) -> Iterator[Json]:
    """Yield the scores of a line; ``run`` is the trace id, and the end of the line in ms.

    An annotation without a known message in the line becomes a score of the run.
    """
    for at, annotation in enumerate(line.annotations):
        yield usable(_row(annotation, addresses, run), f"annotations.{at}", losses)


def _row(annotation: Annotation, addresses: Addresses, run: tuple[str, int]) -> Json:
    trace_id, end_ms = run
    spot = addresses.resolve(annotation.address)
    return {
        "trace_id": trace_id,
        "name": ANNOTATION,
        "author": annotation.author,
        "source": "import",
        "target": "trajectory" if spot is None else "step",
        "step_id": "" if spot is None else spot.step_id,
        "value": annotation.content,
        "value_type": "text",
        "rationale": annotation.about,
        "item": annotation.item_in(bytes.fromhex(trace_id)),
        "evidence": evidence_of(annotation.address, spot),
        "at": end_ms,
    }
