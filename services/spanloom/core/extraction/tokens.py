"""Tokens that a trace tells and no model call has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.metrics import sum_usage
from spanloom.core.model.trajectory import Step, StepType
from spanloom.core.reading.genai_facts import INPUT_TOKENS, OUTPUT_TOKENS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.tree import SpanTree

_TOLD_BY = frozenset(
    (*INPUT_TOKENS, *OUTPUT_TOKENS, "llm.token_count.prompt", "llm.token_count.completion")
)


def token_warnings(tree: SpanTree, by_type: Mapping[StepType, Sequence[Step]]) -> Sequence[str]:
    """Return a warning where spans tell tokens and none of them count.

    An agent without spans of its calls tells their sum, Google's ADK the last call's: neither says
    what one call cost, so nothing is invented, but zero is not the truth either.
    """
    if any(sum_usage(by_type[StepType.MODEL])):
        return []
    telling = sum(_tells(span.attributes) for span in tree.spans)
    if not telling:
        return []
    return [f"{telling} spans tell tokens, but no model call does: none are counted"]


def _tells(attributes: Mapping[str, str]) -> bool:
    return any(attributes[key] != "0" for key in _TOLD_BY & attributes.keys())
