"""What a dialect is."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from spanloom.core.conventions.failures import ControlFlow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.normalized import Classification, Facts
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Kind


class Claim(IntEnum):
    """Whose spans a dialect is about; the lower ones are asked first.

    A PydanticAI span that OpenInference marks has the scope ``pydantic-ai``, the attribute
    ``openinference.span.kind``, and the shared ``gen_ai.operation.name``: asked in this order.
    """

    OVERLAY = 1
    """Any library's: a key of its own states their kind, such as ``openinference.span.kind``."""
    LIBRARY = 2
    """One library's, by its scope or a key of its own: the scope ``pydantic-ai``."""
    SHARED = 3
    """Those of many, who write the same attributes: ``gen_ai.operation.name``."""
    ANY = 4
    """Every span that is left."""


class Dialect(Protocol):
    """One instrumentation convention; its folder declares all that the registry needs to know."""

    id: str
    """Stable: stored with every span's explanation."""
    claims: ClassVar[Claim] = Claim.LIBRARY
    """Whose spans it is about; each class says so for itself, it is not inherited."""
    before: ClassVar[Sequence[str]] = ()
    """Ids of the dialects that may only be asked after this one, where ``claims`` does not tell.

    It borrows their attributes, or they are laid over its spans: Strands before MLflow, which adds
    its marks to Strands' spans. One that extends another's class need not name it:
    ``class TraceloopAgno(Traceloop)`` comes before ``Traceloop``.
    """
    keys_with_values: ClassVar[Sequence[str]] = ()
    """Keys of the attributes whose values ``recognises`` reads; of others it has the key alone."""
    control_flow: ClassVar[ControlFlow] = ControlFlow()
    """What the framework raises to pause or hand over: no failure, whoever reports it."""
    own_scope: ClassVar[str] = ""
    """Scope of a framework that reports itself, onto whose spans others lay attributes."""

    def meet(self, others: Sequence[Dialect]) -> None:  # noqa: ARG002  # most need not know
        """Take note of all dialects; called once, before any span is read."""
        return

    def recognises(self, signature: Signature) -> bool:
        """Return whether spans of this signature speak the convention."""

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Return what the span is, by its attributes and its place among the others."""

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Return what a span of this kind tells about its step."""
