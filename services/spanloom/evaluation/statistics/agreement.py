"""Computes the agreement of two raters from plain lists, with the statistics of annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation import agreement

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two raters over the same units, in the same order.

    ``None`` if there are no units, or both raters always give the same label, because kappa is
    undefined then. Raises ``ValueError`` for lists of different lengths.
    """
    if len(first) != len(second):
        raise ValueError(f"two raters of the same units: {len(first)} and {len(second)} labels")
    return agreement.kappa(list(zip(first, second, strict=True))).value
