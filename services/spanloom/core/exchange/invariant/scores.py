"""Converts the annotations in a line to scores for the annotated steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.invariant_annotations import ANNOTATION, evidence_of
from spanloom.core.exchange.scored import usable
from spanloom.core.model.score import IMPORT

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
    """Yield a score for each annotation; ``run`` is the trace id and the line's end in ms.

    An annotation whose address matches no message becomes a score for the whole run.
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
        "source": IMPORT,
        "target": "trajectory" if spot is None else "step",
        "step_id": "" if spot is None else spot.step_id,
        "value": annotation.content,
        "value_type": "text",
        "rationale": annotation.about,
        "item": annotation.item_in(bytes.fromhex(trace_id)),
        "evidence": evidence_of(annotation.address, spot),
        "at": end_ms,
    }
