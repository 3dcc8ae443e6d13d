"""Handles the export requests of all endpoints: admission, validation, redaction, spooling.

Endpoints decode requests to OTLP protobuf before, and translate errors to statuses after
(``doors/status.py``).
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from spanloom.access.quotas import RETRY_S
from spanloom.collector.intake.admission import Admission, InFlightBudget
from spanloom.collector.intake.findings import Rejection
from spanloom.collector.intake.redaction.content import RULE as NO_CONTENT
from spanloom.collector.intake.redaction.rules import Action, Place
from spanloom.collector.intake.validate import validate_request
from spanloom.core.errors import OverloadedError, RateLimitedError
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.collector.intake.admission import Reservation
    from spanloom.collector.intake.findings import Findings
    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.intake.redaction.redactor import Redaction, Redactor
    from spanloom.collector.intake.validate import Validated
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """The number of rejected items in an accepted request, and the reasons; by default none."""

    rejected: int = 0
    message: str = ""
    signal: Signal = Signal.SPANS

    @property
    def is_full(self) -> bool:
        """Whether everything was accepted unchanged, so that ``partial_success`` stays unset."""
        return not self.rejected and not self.message

    @property
    def name(self) -> str:
        """Name of the outcome in the metrics."""
        return "partial" if self.rejected else "success"


class Exporter:
    """Stores decoded requests; when a method returns an outcome, each accepted span is fsynced.

    All methods block and may be called from many threads. They raise
    ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
    """

    def __init__(
        self,
        spool: Spool,
        metrics: Metrics,
        limits: Limits,
        admission: Admission | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        """Put accepted requests into the spool.

        If ``admission`` is ``None``, there are no rates and quotas; if ``redactor`` is ``None``,
        nothing is redacted.
        """
        self.redactor = redactor
        self._admission = admission or Admission()
        self.budget = InFlightBudget(limits.max_in_flight_bytes)
        self._spool = spool
        self._metrics = metrics
        self._limits = limits
        self._closed = Event()
        metrics.in_flight_bytes.set_function(lambda: self.budget.taken)

    @property
    def fingerprint_key(self) -> bytes:
        """Secret key for hashes of content, so that guesses of the content cannot be verified."""
        return self.redactor.secret[:64] if self.redactor else b""

    def close(self) -> None:
        """Refuse every further request with a retry hint; running requests finish."""
        self._closed.set()

    def admit(self, key_project: str) -> None:
        """Raise ``RateLimitedError`` if the project of an API key exceeds its rate or its quota.

        Raises ``OverloadedError`` while the disk is almost full. Called before the body is read,
        so that a refusal costs next to nothing.
        """
        self._admission.check(key_project)

    @contextmanager
    def inflating(self, share: Reservation, project: str) -> Iterator[None]:
        """If inflating fails, as for a zip bomb, count the bytes towards the rate limit."""
        try:
            yield
        except Exception:
            self._admission.charge(project, size=share.size)
            raise

    @contextmanager
    def handling(self, size: int, project: str) -> Iterator[None]:
        """Count one request of ``size`` decoded bytes in metrics and rate limit, and time it.

        Raises ``OverloadedError`` once the exporter is closed.
        """
        if self._closed.is_set():
            raise OverloadedError("The service is shutting down: try again.")
        with self._metrics.acknowledge_seconds.time():
            self._metrics.received_bytes.inc(size)
            self._admission.charge(project, size=size)
            yield

    def export_traces(
        self, body: bytes, key_project: str, findings: Findings | None = None
    ) -> ExportOutcome:
        """Store the valid spans of an encoded ``ExportTraceServiceRequest``.

        ``key_project`` is the project of the API key; if empty, each resource names its own
        project. ``findings`` counts the spans that an endpoint has already left out. The outcome
        reports the rejected and the changed spans.
        """
        redaction = self.redactor.begin() if self.redactor else None
        valid = self._validate(body, key_project, findings, redaction)
        if valid.span_count:
            self._spool.put(key_project, valid.body, valid.span_count)
            self._admission.charge_stored(valid.sizes)
        self._admission.charge(key_project, spans=valid.span_count + valid.rejected)
        self._metrics.spans_accepted.inc(valid.span_count)
        for rule, count in valid.rejected_by_rule.items():
            self._metrics.spans_rejected.labels(rule=rule).inc(count)
        return ExportOutcome(valid.rejected, valid.message)

    @property
    def stores_content(self) -> bool:
        """Whether texts are stored, not only the structure of runs."""
        return not (self.redactor and self.redactor.no_content)

    def count_withheld(self, events: int) -> None:
        """Count content events that an endpoint left out because no content is stored."""
        if events and self.redactor:
            self.redactor.count(Counter({(NO_CONTENT, Action.DROP): events}))

    def export_logs(
        self, events: bytes, spans: bytes, findings: Findings, key_project: str
    ) -> ExportOutcome:
        """Store log records: content events, and records that became spans.

        ``events`` and ``spans`` are encoded ``ExportTraceServiceRequest`` messages, each empty if
        it has no records. ``findings`` counts the records that the endpoint has already left out.
        """
        messages = [findings.message("log records")]
        rejected = Counter(findings.rejected_by_rule)
        for body, signal in ((events, Signal.CONTENT_EVENTS), (spans, Signal.SPANS)):
            if body:
                valid = self._put_records(body, signal, key_project)
                messages.append(valid.message)
                rejected.update(valid.rejected_by_rule)
        for rule, count in rejected.items():
            self._metrics.content_events_rejected.labels(rule=rule).inc(count)
        message = " ".join(filter(None, messages))
        return ExportOutcome(rejected.total(), message, Signal.CONTENT_EVENTS)

    def _put_records(self, body: bytes, signal: Signal, key_project: str) -> Validated:
        place = Place.EVENT if signal is Signal.CONTENT_EVENTS else Place.SPAN
        redaction = self.redactor.begin(place) if self.redactor else None
        valid = self._validate(body, key_project, None, redaction)
        if valid.span_count:
            self._spool.put(key_project, valid.body, valid.span_count, signal)
            self._admission.charge_stored(valid.sizes)
        if signal is Signal.SPANS:
            self._admission.charge(key_project, spans=valid.span_count + valid.rejected)
        self._metrics.content_events_accepted.inc(valid.span_count)
        return valid

    def _validate(
        self,
        body: bytes,
        key_project: str,
        findings: Findings | None,
        redaction: Redaction | None,
    ) -> Validated:
        """Validate and redact; raise ``RateLimitedError`` if quotas reject the whole request."""
        is_full = self._admission.is_full
        valid = validate_request(body, self._limits, key_project, findings, redaction, is_full)
        if redaction:
            redaction.count()
        if not valid.span_count and Rejection.QUOTA.rule in valid.rejected_by_rule:
            raise RateLimitedError(valid.message, RETRY_S)
        return valid

    def count_dropped(self, signal: str, items: int) -> None:
        """Count items that an endpoint accepts but does not store."""
        self._metrics.items_dropped.labels(signal=signal).inc(items)

    def count_request(self, signal: str, transport: str, outcome: str) -> None:
        """Count a request after its response, even if it was refused; called by the transports."""
        self._metrics.requests.labels(signal=signal, transport=transport, outcome=outcome).inc()
