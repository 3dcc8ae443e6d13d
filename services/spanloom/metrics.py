"""Spanloom's own metrics, all declared here.

Nothing is counted per span. The metrics are in a separate registry, which is created once per
process and passed down, so that each test gets fresh metrics.
"""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

LATENCY_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """All metrics; a metric's name has its unit, its help text its meaning."""

    def __init__(self) -> None:
        """Declare all metrics in a new registry."""
        r = self.registry = CollectorRegistry()
        ProcessCollector(registry=r)
        # collector
        self.requests = Counter(
            "spanloom_export_requests",
            "Export requests answered.",
            ["signal", "transport", "outcome"],
            registry=r,
        )
        self.spans_accepted = Counter(
            "spanloom_spans_accepted", "Spans acknowledged: fsynced in the spool.", registry=r
        )
        self.spans_rejected = Counter(
            "spanloom_spans_rejected", "Spans refused, by rule.", ["rule"], registry=r
        )
        self.content_events_accepted = Counter(
            "spanloom_content_events_accepted",
            "Log records with GenAI content or of coding agents, accepted and fsynced.",
            registry=r,
        )
        self.content_events_rejected = Counter(
            "spanloom_content_events_rejected",
            "Such log records refused, by rule.",
            ["rule"],
            registry=r,
        )
        self.items_dropped = Counter(
            "spanloom_items_dropped",
            "Accepted and dropped: metric points, log records that report nothing of a run, files.",
            ["signal"],
            registry=r,
        )
        self.langfuse_forgotten = Counter(
            "spanloom_langfuse_forgotten",
            "Observations and traces of Langfuse's events that are no longer remembered, by reason"
            " (age, size); updates whose creation never came are of the kind waiting.",
            ["kind", "reason"],
            registry=r,
        )
        self.redacted = Counter(
            "spanloom_redacted",
            "Values that were changed before storing, by rule and action (drop, hash, mask).",
            ["rule", "action"],
            registry=r,
        )
        self.received_bytes = Counter(
            "spanloom_received_bytes", "Decoded bytes of export requests.", registry=r
        )
        self.in_flight_bytes = Gauge(
            "spanloom_in_flight_bytes",
            "Bytes of export requests that are not answered yet, as sent and inflated.",
            registry=r,
        )
        self.acknowledge_seconds = Histogram(
            "spanloom_acknowledge_seconds",
            "Time from a decoded request to its acknowledgement.",
            buckets=LATENCY_BUCKETS,
            registry=r,
        )
        self.spool_records = Gauge(
            "spanloom_spool_records", "Requests waiting for the store.", registry=r
        )
        self.spool_bytes = Gauge(
            "spanloom_spool_bytes", "Bytes of requests waiting for the store.", registry=r
        )
        self.spool_age_seconds = Gauge(
            "spanloom_spool_age_seconds", "Age of the oldest waiting request.", registry=r
        )
        # writer
        self.insert_seconds = Histogram(
            "spanloom_insert_seconds",
            "Time of one INSERT into the store.",
            buckets=LATENCY_BUCKETS,
            registry=r,
        )
        self.spans_stored = Counter(
            "spanloom_spans_stored", "Spans that the store has accepted.", registry=r
        )
        self.insert_failures = Counter(
            "spanloom_insert_failures", "INSERTs that failed, by class.", ["kind"], registry=r
        )
        self.dead_letters = Counter(
            "spanloom_dead_letters",
            "Requests set aside because the store refuses them.",
            registry=r,
        )
        self.dead_letter_bytes = Gauge(
            "spanloom_dead_letter_bytes",
            "Bytes of requests set aside; they count to the spool's bound.",
            registry=r,
        )
        # extractor
        self.traces_pending = Gauge(
            "spanloom_traces_pending", "Traces with spans not yet extracted.", registry=r
        )
        self.traces_uncovered = Gauge(
            "spanloom_traces_uncovered",
            "Traces of which not all that has arrived can be read yet.",
            registry=r,
        )
        self.traces_quarantined = Gauge(
            "spanloom_traces_quarantined",
            "Traces that could not be built at the last attempt and are tried again.",
            registry=r,
        )
        self.extraction_lag_seconds = Histogram(
            "spanloom_extraction_lag_seconds",
            "Time from a trace's last accepted span to its stored trajectory.",
            buckets=LATENCY_BUCKETS,
            registry=r,
        )
        self.extractions = Counter(
            "spanloom_extractions",
            "Traces extracted, by result; kept: the stored trajectory has spans that have expired.",
            ["result"],
            registry=r,
        )
        self.spans_extracted = Counter(
            "spanloom_spans_extracted", "Spans read for extraction.", registry=r
        )
        self.slices = Gauge(
            "spanloom_slices",
            "Slices of all traces that this process works on, by work: of 256 extract and index, of"
            " 16 replay; only on a ClickHouse server.",
            ["work"],
            registry=r,
        )
        self.texts_indexed = Counter(
            "spanloom_texts_indexed", "Texts of steps added to the text index.", registry=r
        )
        self.extraction_failures = Counter(
            "spanloom_extraction_failures", "Traces whose extraction raised.", registry=r
        )
        self.extract_workers = Gauge(
            "spanloom_extract_workers", "Worker processes that build trajectories.", registry=r
        )
        self.extract_worker_deaths = Counter(
            "spanloom_extract_worker_deaths",
            "Worker processes that ended by themselves: their traces were built again.",
            registry=r,
        )
        self.traces_replayed = Counter(
            "spanloom_traces_replayed",
            "Stored traces extracted again, by result.",
            ["result"],
            registry=r,
        )
        # online rules
        self.online_rule_lag = Gauge(
            "spanloom_online_rule_lag_seconds",
            "How long the oldest run has waited for an online rule; only in the process that "
            "follows the change feed.",
            ["rule"],
            registry=r,
        )
        self.online_runs = Counter(
            "spanloom_online_rule_runs",
            "Runs handled by online rules, by result.",
            ["rule", "outcome"],
            registry=r,
        )
        # alerts
        self.alerts_firing = Gauge(
            "spanloom_alerts_firing",
            "Runs, or groups of a metric, for which an alert fires now.",
            ["project", "alert"],
            registry=r,
        )
        self.alert_deliveries = Counter(
            "spanloom_alert_deliveries",
            "Attempts to notify channels of alerts, by outcome (delivered, failed, undelivered).",
            ["outcome"],
            registry=r,
        )
        # api
        self.api_requests = Counter(
            "spanloom_api_requests", "API requests.", ["route", "status"], registry=r
        )
        self.api_seconds = Histogram(
            "spanloom_api_seconds", "Time of an API request.", ["route"], registry=r
        )
        self.feed_readers = Gauge(
            "spanloom_feed_readers", "Readers that wait for changes at the moment.", registry=r
        )
        # sql
        self.sql_queries = Counter(
            "spanloom_sql_queries",
            "Statements of the SQL port, by outcome (answered, failed, cancelled).",
            ["outcome"],
            registry=r,
        )
        self.sql_running = Gauge(
            "spanloom_sql_running", "Statements of the SQL port being run.", registry=r
        )
        self.sql_seconds = Histogram(
            "spanloom_sql_seconds",
            "Time of a statement of the SQL port, with the wait for its turn.",
            buckets=LATENCY_BUCKETS,
            registry=r,
        )

    def render(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self.registry)
