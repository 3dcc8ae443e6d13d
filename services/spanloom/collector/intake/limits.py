"""Every bound of one request, with its unit and the reason for its size.

The bound of what waits for the store is another one: ``collector/spool/bound.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request, one span and one process may cost.

    The sizes follow the OTLP specification where it names one (64 MiB requests, 4 MiB
    responses); the others stop inputs whose parsed form is many times their own size.
    """

    max_request_bytes: int = 64 * MIB
    """One request, before and after decompression."""
    max_spans: int = 100_000
    """Spans of one request: 4 MiB of empty spans take 87 times that in a parser."""
    max_entries: int = 10_000
    """Resource and scope entries of one request, unknown fields beside them included."""
    max_gzip_members: int = 16
    """A hundred thousand empty members cost seconds of inflating nothing."""
    max_json_nodes: int = 8_000_000
    """Objects, arrays and list elements of one JSON request."""
    max_value_depth: int = 40
    """Attribute values inside each other; parsers give up at 47."""
    max_attributes: int = 1_024
    """Attributes kept of one span, event, link, resource or scope."""
    max_events: int = 4_096
    """Events kept of one span."""
    max_links: int = 4_096
    """Links kept of one span."""
    max_key_bytes: int = 512
    """An attribute with a longer key is dropped and counted."""
    max_value_bytes: int = 8 * MIB
    """A longer text is cut; another value of that size is dropped and counted."""
    max_in_flight_bytes: int = 128 * MIB
    """Requests in flight, as sent and inflated, from the first byte to the answer; beyond it
    clients are asked to retry."""
    body_timeout_s: float = 60.0
    """Time for an HTTP body to arrive."""
    body_grace_s: float = 10.0
    """Time that an HTTP body may take beyond what ``min_body_rate`` allows."""
    min_body_rate: int = 8 * 1024
    """Bytes per second below which an HTTP body is cut: a slow sender holds its share for long."""
    message_timeout_s: float = 15.0
    """Time for a gRPC message to arrive: exporters give up after ten seconds."""
    workers: int = 32
    """Requests handled at one time by each transport; most of their time is the fsync's."""
    readers: int = 128
    """gRPC messages arriving at one time. gRPC tells their size only when they are whole, so
    what has arrived of unfinished ones is outside ``max_in_flight_bytes``."""
    max_waiting: int = 1_024
    """Requests of each transport that wait or are being handled."""
