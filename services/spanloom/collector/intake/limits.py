"""All limits of one request, with their units and the reasons for their sizes.

The limit of the spool is in ``collector/spool/bound.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request, one span and one process.

    The sizes follow the OTLP specification where it defines them (64 MiB requests, 4 MiB
    responses); the others refuse inputs whose parsed form is many times their own size.
    """

    max_request_bytes: int = 64 * MIB
    """Bytes of one request, before and after decompression."""
    max_spans: int = 100_000
    """Spans of one request; 4 MiB of empty spans take 87 times as much memory once parsed."""
    max_entries: int = 10_000
    """Resource and scope entries of one request; four times as many unknown fields are allowed."""
    max_gzip_members: int = 16
    """Members of one gzip body; inflating a hundred thousand empty members takes seconds."""
    max_json_nodes: int = 8_000_000
    """Objects, arrays and list elements of one JSON request."""
    max_value_depth: int = 40
    """Nesting of attribute values; parsers fail at a depth of 47."""
    max_attributes: int = 1_024
    """Attributes that are stored of one span, event, link, resource or scope."""
    max_events: int = 4_096
    """Events that are stored of one span."""
    max_links: int = 4_096
    """Links that are stored of one span."""
    max_key_bytes: int = 512
    """An attribute with a longer key is dropped and counted."""
    max_value_bytes: int = 8 * MIB
    """A longer text is truncated; a larger value of another type is dropped; both are counted."""
    max_in_flight_bytes: int = 128 * MIB
    """Bytes of requests in flight, compressed and inflated, from the first byte to the response.

    Beyond it requests are refused with a retry hint.
    """
    body_timeout_s: float = 60.0
    """Maximum seconds for an HTTP body to arrive."""
    body_grace_s: float = 10.0
    """Seconds that an HTTP body may take in addition to what ``min_body_rate`` allows."""
    min_body_rate: int = 8 * 1024
    """Bytes per second; a slower HTTP body is refused, because it occupies memory too long."""
    message_timeout_s: float = 15.0
    """Maximum seconds for a gRPC message to arrive; exporters time out after ten seconds."""
    workers: int = 32
    """Requests handled at the same time by each transport; they mostly wait for the fsync."""
    readers: int = 128
    """gRPC messages that may arrive at the same time.

    Their size is known only when they are complete, so incomplete messages do not count towards
    ``max_in_flight_bytes``.
    """
    max_waiting: int = 1_024
    """Requests that each transport may hold, waiting or being handled."""
