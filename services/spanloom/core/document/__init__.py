"""Typed access to the JSON of a trajectory document: steps, their owners, order, ``extraction``.

No other module reads this JSON. The classes copy nothing and create step objects one by one, so
even in a document of 100,000 steps only the parts that are read cost time. A step object reads the
members that every step has when it is created, because nearly every caller needs most of them, and
the other members on access.

Attributes have the names in the schema (``formats/canonical_schema.json``). If a document is
partial, or from another program, its missing members are empty: ``""``, 0 or no items. Start at
``Document`` in ``document.py``.
"""

from spanloom.core.document.document import (
    AGENT,
    AGENTS,
    EXTRACTION,
    OF_THE_RUN,
    ROOT,
    Document,
    HeldDocument,
)
from spanloom.core.document.extraction import DocumentExtraction
from spanloom.core.document.failures import DocumentFailure
from spanloom.core.document.metrics import DocumentMetrics
from spanloom.core.document.steps import SHOWN, DocumentAgent, DocumentStep
from spanloom.core.document.values import whole

__all__ = [
    "AGENT",
    "AGENTS",
    "EXTRACTION",
    "OF_THE_RUN",
    "ROOT",
    "SHOWN",
    "Document",
    "DocumentAgent",
    "DocumentExtraction",
    "DocumentFailure",
    "DocumentMetrics",
    "DocumentStep",
    "HeldDocument",
    "whole",
]
