"""All limits for requests, with their units and the reasons for their sizes.

The limits for the spool are in ``collector/spool/bound.py`` and ``free_space.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per request, per span and per process.

    The sizes follow the OTLP specification where it defines them (64 MiB requests, 4 MiB
    responses); the other limits reject inputs that grow many times when they are parsed.
    """

    max_request_bytes: int = 64 * MIB
    """Maximum bytes of one request, before and after decompression."""
    max_spans: int = 100_000
    """Maximum spans in a request; 4 MiB of empty spans take 87 times as much memory once parsed."""
    max_entries: int = 10_000
    """Maximum resource and scope entries in a request; of other fields, four times as many."""
    max_gzip_members: int = 16
    """Maximum members in a gzip body; inflating a hundred thousand empty members takes seconds."""
    max_json_nodes: int = 8_000_000
    """Maximum number of objects, arrays and list elements in one JSON request."""
    max_value_depth: int = 40
    """Maximum nesting of attribute values; parsers fail at a depth of 47."""
    max_attributes: int = 1_024
    """Maximum attributes stored for one span, event, link, resource or scope."""
    max_events: int = 4_096
    """Maximum events stored for one span."""
    max_links: int = 4_096
    """Maximum links stored for one span."""
    max_key_bytes: int = 512
    """An attribute with a longer key is dropped and counted."""
    max_value_bytes: int = 8 * MIB
    """A longer text is truncated; a larger value of another type is dropped; both are counted."""
    max_in_flight_bytes: int = 128 * MIB
    """Maximum bytes of all requests in flight, compressed and inflated, until their responses.

    Requests beyond this limit are refused with a retry hint.
    """
    body_timeout_s: float = 60.0
    """Maximum seconds for an HTTP body to arrive."""
    body_grace_s: float = 10.0
    """Seconds that an HTTP body may take in addition to its size divided by ``min_body_rate``."""
    min_body_rate: int = 8 * 1024
    """Minimum bytes per second; a slower HTTP body is refused, as it occupies memory too long."""
    message_timeout_s: float = 15.0
    """Maximum seconds for a gRPC message to arrive; exporters time out after ten seconds."""
    workers: int = 32
    """Maximum requests handled at a time by each transport; they mostly wait for the fsync."""
    readers: int = 128
    """Maximum gRPC messages that arrive at the same time.

    The size of a message is known only when it is complete, so incomplete messages do not count
    towards ``max_in_flight_bytes``.
    """
    max_waiting: int = 1_024
    """Maximum requests that wait or are being handled in each transport."""
