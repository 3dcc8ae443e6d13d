"""Summarises the metrics of many runs as Databricks does: averages and shares of ``yes``."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RATING: Final = "/rating"
_YES: Final = "yes"
CHUNKS: Final = "retrieval/llm_judged/chunk_relevance"
"""Represents the ratings of all chunks of a run."""
_CAUSES: Final = (
    ("retrieval/llm_judged/context_sufficiency/rating", CHUNKS),
    ("response/llm_judged/groundedness/rating",),
    ("response/llm_judged/correctness/rating", "response/llm_judged/relevance_to_query/rating"),
    ("response/llm_judged/safety/rating",),
)
"""The order in which a ``no`` is the root cause; of each group the first metric of the run."""


def summarise(results: Iterable[Mapping[str, Any]]) -> dict[str, float]:  # results as JSON
    """Return ``NAME/average`` of numbers and ``NAME/percentage`` of ratings, 0 to 1, by name.

    Only results of status ``ok`` count; a metric without any is left out.
    """
    values: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        name, value = result["name"], result["value"]
        if result["status"] != "ok":
            continue
        if name.endswith(_RATING):
            values[f"{name}/percentage"].append(float(value == _YES))
        elif isinstance(value, int | float):
            values[f"{name}/average"].append(float(value))
    return {name: sum(each) / len(each) for name, each in sorted(values.items())}


def assess(ratings: Mapping[str, str]) -> tuple[str, str]:
    """Return the overall rating of a run, ``yes`` if all its ratings are, and the root cause.

    ``ratings`` are ``yes`` or ``no`` by the name of their metric. The cause is the first ``no`` of
    Databricks' order, then of the others by name; empty without one.
    """
    known = [next((name for name in group if name in ratings), "") for group in _CAUSES]
    ordered = [*filter(None, known), *sorted(ratings.keys() - set(known))]
    cause = next((name for name in ordered if ratings[name] != _YES), "")
    return ("no" if cause else _YES), cause
