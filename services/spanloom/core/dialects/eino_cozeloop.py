"""Eino, by its ``cozeloop`` callback: the tag ``eino_run_info_component`` on every span.

The span type is Coze Loop's word for some components and the component itself for others, and a
react agent's is ``graph``; so the component decides (``eino_runs``). An application's own span
around the run has no component: it is ``cozeloop``'s. The session comes from that span, as
baggage. Verified on captures of cozeloop-go 0.1.20 with eino 0.9.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects import cozeloop_facts
from spanloom.core.dialects.cozeloop_facts import TAG
from spanloom.core.dialects.eino_runs import Part, classify_part
from spanloom.core.dialects.values import first

if TYPE_CHECKING:
    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.normalized import Classification, Facts
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Kind

COMPONENT = TAG + "eino_run_info_component"
_NAME = TAG + "eino_run_info_name"


def _read(span: Span, _view: TraceView) -> Part:
    return Part(span.attributes.get(COMPONENT, ""), span.attributes.get(_NAME, ""))


class EinoCozeLoop:
    """The convention as eino-ext's ``callbacks/cozeloop`` writes it."""

    id = "eino_cozeloop"

    def recognises(self, span: Span) -> bool:
        """By the component that ran."""
        return COMPONENT in span.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By the component and what stands above and below it."""
        return classify_part(span, view, _read)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """As every span of a Coze Loop SDK; the run's name is the node's."""
        said = span.attributes
        facts = cozeloop_facts.describe(span, kind, said[COMPONENT].lower())
        if facts.agent_name:
            facts.agent_name = first(said, _NAME) or span.name
        return facts
