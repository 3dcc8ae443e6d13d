"""Repairs impossible token counts: details larger than their sum, or a total that does not match.

Input includes cached tokens and output includes reasoning (``Usage``). Some senders exclude them:
40 input tokens, 260 of them cached. Excluded tokens are added where arithmetic proves that they are
excluded, and the step is marked; counts that stay impossible are marked too, and cause a warning.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from spanloom.core.conventions.endings import find_endings
from spanloom.core.conventions.usage import EVIDENCE, read_counts, read_json_counts, read_total
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.span import Classification, Facts, Span
    from spanloom.core.model.step import Usage

REPAIRED = "usage_repaired"
"""Metadata key of a model step with repaired counts; the value says which tokens were excluded."""
DOUBTFUL = "usage_doubtful"
"""Metadata key of a model step whose counts do not add up and are shown as reported."""
NO_CACHED = "input excluded cached tokens"
NO_REASONING = "output excluded reasoning tokens"
ABOVE_TOTAL = "input and output exceed the total"


_MODEL = Kind.MODEL  # cached: before Python 3.12, enum members are looked up in Python code


def settle_usage(facts: Facts, span: Span, classification: Classification) -> None:
    """Complete the token counts, reduce a running sum to the call's own counts, and repair them."""
    if classification.usage is not None:
        facts.usage = (
            facts.usage.completed_by(classification.usage) if facts.usage else classification.usage
        )
    is_call, summed = classification.kind is _MODEL, classification.summed_from
    if is_call:
        _find_usage(facts, span)
    if summed is not None and facts.usage is not None:
        facts.usage = facts.usage.since(summed)
    if is_call:
        _repair_usage(facts, span, has_sum=summed is not None)


def _find_usage(facts: Facts, span: Span) -> None:
    """Read counts under names that the dialect does not know, as for an unknown sender."""
    usage = facts.usage
    if usage is None or not usage.input_tokens or not usage.output_tokens:
        found = read_counts(span.attributes, EVIDENCE)
        facts.usage = usage.completed_by(found) if usage else found
        if not any(facts.usage) and (as_json := find_endings(span.attributes).counts):
            facts.usage = read_json_counts(span.attributes, as_json)


def _repair_usage(facts: Facts, span: Span, *, has_sum: bool) -> None:
    """Add the tokens that the counts exclude; ignore the total of a running sum of calls."""
    if facts.usage is None or not any(facts.usage):
        return
    total = 0 if has_sum else facts.total_tokens or read_total(span.attributes)
    facts.usage, marks = repair(facts.usage, total)
    if marks:
        facts.metadata = {**facts.metadata, **marks}


def repair(usage: Usage, total: int = 0) -> tuple[Usage, dict[str, str]]:
    """Return the counts including the excluded tokens, and the metadata about the repair.

    ``total`` is the sum that the sender reports, 0 if none. It decides which tokens were excluded.
    Without a total, or if no choice matches it, a detail larger than its sum counts as excluded.
    """
    if not any(usage[2:]) or (_is_possible(usage) and _reaches(usage, total)):
        return usage, _doubt(usage, total)
    repaired = _by_total(usage, total) or _by_parts(usage)
    was_summed = _reaches(usage, total)  # the total then excludes the same tokens as the counts
    doubt = {} if was_summed else _doubt(repaired, total)
    return repaired, {**_note(usage, repaired), **doubt}


def with_cached(usage: Usage) -> Usage:
    """Return the counts with cached tokens added to an input that excludes them: 10 + 90 → 100."""
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    return usage._replace(input_tokens=usage.input_tokens + cached)


def _is_possible(usage: Usage) -> bool:
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    return cached <= usage.input_tokens and usage.reasoning_tokens <= usage.output_tokens


def _reaches(usage: Usage, total: int) -> bool:
    return not total or usage.input_tokens + usage.output_tokens == total


def _by_total(usage: Usage, total: int) -> Usage | None:
    """Return the counts with excluded tokens added, if exactly one certain way gives the total.

    Return ``None`` if there is no such way, or more than one.
    """
    fitting = {u for u in _completions(usage) if _is_possible(u) and _reaches(u, total)}
    proven = {u for u in fitting if _is_sure(usage, u)}
    return proven.pop() if total and len(proven) == 1 else None


def _is_sure(usage: Usage, completed: Usage) -> bool:
    """Return whether the completed counts are certain.

    An input or output of 0 may be unreported, and the rest of the total may then belong to it.
    """
    is_output_kept = completed.output_tokens == usage.output_tokens
    is_input_kept = completed.input_tokens == usage.input_tokens
    return (usage.output_tokens > 0 or is_input_kept) and (usage.input_tokens > 0 or is_output_kept)


def _completions(usage: Usage) -> Iterator[Usage]:
    """Yield the counts with each combination of possibly excluded tokens added."""
    reasoning, read, creation = usage[2:]
    for more_output, more_read, more_creation in product((0, reasoning), (0, read), (0, creation)):
        yield usage._replace(
            input_tokens=usage.input_tokens + more_read + more_creation,
            output_tokens=usage.output_tokens + more_output,
        )


def _by_parts(usage: Usage) -> Usage:
    """Return the counts with details added to an input or output that is smaller than its details.

    An input or output of 0 counts as unreported, and stays 0.
    """
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    if cached > usage.input_tokens > 0:
        usage = with_cached(usage)
    if usage.reasoning_tokens > usage.output_tokens > 0:
        usage = usage._replace(output_tokens=usage.output_tokens + usage.reasoning_tokens)
    return usage


def _note(usage: Usage, repaired: Usage) -> dict[str, str]:
    notes = []
    if repaired.input_tokens != usage.input_tokens:
        notes.append(NO_CACHED)
    if repaired.output_tokens != usage.output_tokens:
        notes.append(NO_REASONING)
    return {REPAIRED: ", ".join(notes)} if notes else {}


def _doubt(usage: Usage, total: int) -> dict[str, str]:
    is_above = total and usage.input_tokens + usage.output_tokens > total
    return {DOUBTFUL: ABOVE_TOTAL} if is_above else {}
