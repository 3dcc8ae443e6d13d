"""The one Export behind every transport: bound, validate, spool, answer.

Whoever calls it has decompressed the body and translates the errors by ``status.py``.
Authentication will stand first here: a key names the project that ``Spool.put`` stores.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from spanloom.collector.doors.cozeloop.ingest import decode_ingest
from spanloom.collector.doors.encoding import Encoding
from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.doors.otlp.dropped import count_metrics
from spanloom.collector.doors.otlp.json import decode_logs, decode_traces
from spanloom.collector.intake.budget import InFlightBudget
from spanloom.collector.intake.validate import validate_request
from spanloom.core.errors import OverloadedError
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.intake.validate import Validated
    from spanloom.collector.spool.spool import Spool
    from spanloom.telemetry import Metrics

    Decode = Callable[[bytes, Limits], bytes]

_PROJECT_OF_RESOURCE = ""
"""The store then takes the project from the resource's attributes."""


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """What an accepted request is answered; the default is a full success."""

    rejected: int = 0
    message: str = ""
    signal: Signal = Signal.SPANS

    @property
    def is_full(self) -> bool:
        """Whether everything was taken as it came: ``partial_success`` then stays unset."""
        return not self.rejected and not self.message

    @property
    def name(self) -> str:
        """What the metrics call it."""
        return "partial" if self.rejected else "success"


class Exporter:
    """Takes decoded requests; an outcome means that every accepted span is fsynced.

    All methods block and may be called from many threads. They raise
    ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
    """

    def __init__(self, spool: Spool, metrics: Metrics, limits: Limits) -> None:
        """Put what is accepted into the spool."""
        self.budget = InFlightBudget(limits.max_in_flight_bytes)
        self._spool = spool
        self._metrics = metrics
        self._limits = limits
        self._closed = Event()

    def close(self) -> None:
        """Refuse every further request with a retry hint; those under way finish."""
        self._closed.set()

    def export_traces(self, body: bytes, encoding: Encoding) -> ExportOutcome:
        """Store the request's valid spans and say what became of the others."""
        return self._export(body, decode_traces if encoding is Encoding.JSON else None)

    def export_cozeloop(self, body: bytes) -> ExportOutcome:
        """Store a request of the Coze Loop SDKs' own ingestion likewise."""
        return self._export(body, decode_ingest)

    def _export(self, body: bytes, decode: Decode | None) -> ExportOutcome:
        self._check_open()
        with self.budget.reserve(len(body)), self._metrics.acknowledge_seconds.time():
            self._metrics.received_bytes.inc(len(body))
            if decode is not None:
                body = decode(body, self._limits)
            valid = validate_request(body, self._limits)
            if valid.span_count:
                self._spool.put(_PROJECT_OF_RESOURCE, valid.body, valid.span_count)
            self._count(valid)
            return ExportOutcome(valid.rejected, valid.message)

    def export_logs(self, body: bytes, encoding: Encoding) -> ExportOutcome:
        """Store the request's GenAI content events; other records are accepted and dropped."""
        self._check_open()
        with self.budget.reserve(len(body)):
            if encoding is Encoding.JSON:
                body = decode_logs(body, self._limits)
            events = collect_content_events(body, self._limits)
            messages = [events.findings.message("log records")]
            if events.body:
                messages.append(self._put_events(events.body))
            self.count_dropped("logs", events.dropped)
            for rule, count in events.findings.rejected_by_rule.items():
                self._metrics.content_events_rejected.labels(rule=rule).inc(count)
            message = " ".join(filter(None, messages))
            return ExportOutcome(events.findings.rejected, message, Signal.CONTENT_EVENTS)

    def drop_metrics(self, body: bytes, encoding: Encoding) -> ExportOutcome:
        """Check, count and drop metrics: this service keeps none."""
        self._check_open()
        with self.budget.reserve(len(body)):
            items = count_metrics(body, encoding, self._limits)
        self.count_dropped("metrics", items)
        return ExportOutcome()

    def count_dropped(self, signal: str, items: int) -> None:
        """Count what a front door takes and does not store."""
        self._metrics.items_dropped.labels(signal=signal).inc(items)

    def count_request(self, signal: str, transport: str, outcome: str) -> None:
        """Count an answered request, refused ones included; transports call it."""
        self._metrics.requests.labels(signal=signal, transport=transport, outcome=outcome).inc()

    def _put_events(self, body: bytes) -> str:
        """Spool well-formed content events; say what had to be changed."""
        valid = validate_request(body, self._limits)
        self._spool.put(_PROJECT_OF_RESOURCE, valid.body, valid.span_count, Signal.CONTENT_EVENTS)
        self._metrics.content_events_accepted.inc(valid.span_count)
        return valid.message

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise OverloadedError("The service is shutting down: try again.")

    def _count(self, valid: Validated) -> None:
        self._metrics.spans_accepted.inc(valid.span_count)
        for rule, count in valid.rejected_by_rule.items():
            self._metrics.spans_rejected.labels(rule=rule).inc(count)
