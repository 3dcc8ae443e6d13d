"""Mutants of the collector: intake, spool, doors, redaction."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

UNIT = "tests/unit/collector"
MUTANTS = (
    Mutant(
        name="budget-short-of-itself",
        room="collector",
        was="if self._taken + size > self._max_bytes:",
        becomes="if self._taken + size >= self._max_bytes:",
        why="a request that fits exactly is refused for ever",
        killed_by=[f"{UNIT}/test_budget.py"],
    ),
    Mutant(
        name="foreign-attribute-first",
        room="collector",
        was='PROJECT_ATTRIBUTES = ("spanloom.project", "openinference.project.name")',
        becomes='PROJECT_ATTRIBUTES = ("openinference.project.name", "spanloom.project")',
        why="our own attribute does not decide the project where both are sent",
        killed_by=[f"{UNIT}/test_tenancy.py"],
    ),
    Mutant(
        name="span-id-of-zeros",
        room="collector",
        was="if len(span_id) != 8 or span_id == _NO_SPAN:",
        becomes="if len(span_id) != 8:",
        why="a span with the invalid id of zeros is stored",
        killed_by=[f"{UNIT}/test_validate.py"],
    ),
    Mutant(
        name="first-of-repeated-spans",
        room="collector",
        was="if known is None or _is_finished(span) or not _is_finished(spans[known]):",
        becomes="if known is None:",
        why="of a span sent twice in a request the older one is stored",
        killed_by=[f"{UNIT}/test_validate.py"],
    ),
    Mutant(
        name="open-copy-after-its-finished-span",
        room="collector",
        was="return end_ns > 0 and end_ns >= span.start_time_unix_nano",
        becomes="return True",
        why="an open copy in the same request replaces the finished span",
        killed_by=[f"{UNIT}/test_validate.py"],
    ),
    Mutant(
        name="one-span-too-few",
        room="collector",
        was="if self.items > self._limits.max_spans:",
        becomes="if self.items >= self._limits.max_spans:",
        why="a request with just as many spans as promised is refused",
        killed_by=[f"{UNIT}/test_prescan.py"],
    ),
    Mutant(
        name="dead-letters-take-no-room",
        room="collector",
        was="if stored.bytes + stored.dead_bytes + self._queued_bytes + size > self._max_bytes:",
        becomes="if stored.bytes + self._queued_bytes + size > self._max_bytes:",
        why="dead letters grow the spool beyond its bound",
        killed_by=[f"{UNIT}/test_spool.py"],
    ),
    Mutant(
        name="one-try-too-many",
        room="collector",
        was="if is_refusal(error) or faults >= tries:",
        becomes="if is_refusal(error) or faults > tries:",
        why="a batch that fails by a fault of ours is tried once more than declared",
        killed_by=[f"{UNIT}/test_sift.py"],
    ),
    Mutant(
        name="fruitless-though-some-passed",
        room="collector",
        was="if fruitless is not None and refusals >= fruitless and not any_passed:",
        becomes="if fruitless is not None and refusals >= fruitless:",
        why="a batch with many bad requests is never sifted to its end",
        killed_by=[f"{UNIT}/test_sift.py"],
    ),
    Mutant(
        name="retry-after-an-hour",
        room="collector",
        was="return math.ceil(min(max(error.retry_after_s, MIN_RETRY_S), MAX_RETRY_S))",
        becomes="return math.ceil(max(error.retry_after_s, MIN_RETRY_S))",
        why="exporters are told to wait longer than they do, and lose the batch",
        killed_by=[f"{UNIT}/test_status.py"],
    ),
    Mutant(
        name="cut-by-characters",
        room="collector",
        was='return text if len(encoded) <= max_bytes else encoded[:max_bytes].decode(errors="ignore")',
        becomes="return text if len(encoded) <= max_bytes else text[:max_bytes]",
        why="a message of wide characters is three times as long as gRPC takes",
        killed_by=[f"{UNIT}/test_status.py"],
    ),
    Mutant(
        name="next-member-lost",
        room="collector",
        was="return data[at - len(inflater.unused_data) :]",
        becomes="return data[at:]",
        why="of a gzip body of several members only the first is read",
        killed_by=[f"{UNIT}/test_decompress.py"],
    ),
    Mutant(
        name="windows-without-overlap",
        room="collector",
        was="for start in range(0, max(len(text) - OVERLAP, 1), WINDOW - OVERLAP):",
        becomes="for start in range(0, max(len(text) - OVERLAP, 1), WINDOW):",
        why="a secret across the border of two windows is stored",
        killed_by=[f"{UNIT}/redaction/test_recognisers.py"],
    ),
    Mutant(
        name="fraction-from-the-right",
        room="collector",
        was='digits = fraction[1][:9].ljust(9, "0") if fraction else "0"',
        becomes='digits = fraction[1][:9].rjust(9, "0") if fraction else "0"',
        why="a time ending in .5 is 5 ns after the second",
        killed_by=[f"{UNIT}/test_langfuse_ingestion.py"],
    ),
    Mutant(
        name="base64-of-one-alphabet",
        room="collector",
        was='standard = value.translate(_TO_STANDARD_BASE64).rstrip("=")',
        becomes='standard = value.rstrip("=")',
        why="bytes in the URL-safe alphabet are refused in OTLP JSON",
        killed_by=[f"{UNIT}/test_otlp_json.py"],
    ),
    Mutant(
        name="refusals-flood-the-log",
        room="collector",
        was="if now - seen.at < AGAIN_S:",
        becomes="if now - seen.at < 0:",
        why="a sender with a bad key writes a line of the log with each request",
        killed_by=[
            "tests/unit/collector/test_refusals.py::test_each_cause_is_logged_at_once_then_once_a_minute_with_the_number"
        ],
    ),
)
