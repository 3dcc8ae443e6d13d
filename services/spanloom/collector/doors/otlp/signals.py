"""What becomes of each OTLP signal, whatever transport brought it.

Traces are stored, of logs the GenAI content events, metrics are counted and dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.collector.doors.encoding import Encoding
from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.doors.otlp.dropped import count_metrics
from spanloom.collector.doors.otlp.json import decode_logs, decode_traces
from spanloom.collector.intake.export import ExportOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits

    Export = Callable[[bytes, Encoding, str], ExportOutcome]
    """Takes a decompressed body, how it is written and the project that its key names."""


def make_exports(exporter: Exporter, limits: Limits) -> Mapping[str, Export]:
    """Return what handles an export request of each signal; all of them block.

    They raise ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
    """

    def export_traces(body: bytes, encoding: Encoding, project: str) -> ExportOutcome:
        if encoding is Encoding.JSON:
            body = decode_traces(body, limits)
        return exporter.export_traces(body, project)

    def export_logs(body: bytes, encoding: Encoding, project: str) -> ExportOutcome:
        if encoding is Encoding.JSON:
            body = decode_logs(body, limits)
        events = collect_content_events(body, limits, exporter.fingerprint_key)
        exporter.count_dropped("logs", events.dropped)
        return exporter.export_content_events(events.body, events.findings, project)

    def drop_metrics(body: bytes, encoding: Encoding, _project: str) -> ExportOutcome:
        exporter.count_dropped("metrics", count_metrics(body, encoding, limits))
        return ExportOutcome()

    return {"traces": export_traces, "logs": export_logs, "metrics": drop_metrics}
