"""Combines the ratings of a run as Databricks does: an overall rating, and the root cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_YES: Final = "yes"
CHUNKS: Final = "retrieval/llm_judged/chunk_relevance"
"""The metric whose one rating represents the ratings of all chunks of a run."""
_CAUSES: Final = (
    ("retrieval/llm_judged/context_sufficiency/rating", CHUNKS),
    ("response/llm_judged/groundedness/rating",),
    ("response/llm_judged/correctness/rating", "response/llm_judged/relevance_to_query/rating"),
    ("response/llm_judged/safety/rating",),
)
"""Metrics in the order in which a ``no`` is the root cause; a group's first rated metric counts."""


def assess(ratings: Mapping[str, str]) -> tuple[str, str]:
    """Return the overall rating of a run, ``yes`` if all its ratings are, and the root cause.

    ``ratings`` are ``yes`` or ``no``, keyed by metric. The root cause is the first metric with a
    ``no``, in Databricks' order, then the other metrics by name; empty if there is none.
    """
    known = [next((name for name in group if name in ratings), "") for group in _CAUSES]
    ordered = [*filter(None, known), *sorted(ratings.keys() - set(known))]
    cause = next((name for name in ordered if ratings[name] != _YES), "")
    return ("no" if cause else _YES), cause
