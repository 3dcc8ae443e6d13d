"""Checks the settings that clients send; limits can be lowered, never raised."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB = 1024 * 1024


class SqlLimits(NamedTuple):
    """Limits of one statement."""

    time_s: float = 30.0
    memory_bytes: int = 1024 * MIB
    threads: int = 1
    rows_to_read: int = 2_000_000_000
    bytes_to_read: int = 64 * 1024 * MIB
    result_rows: int = 5_000_000
    result_bytes: int = 256 * MIB

    @property
    def settings(self) -> dict[str, float]:
        """The limits, keyed by the names of ClickHouse's settings."""
        return {
            "max_execution_time": self.time_s,
            "max_memory_usage": self.memory_bytes,
            "max_threads": self.threads,
            "max_rows_to_read": self.rows_to_read,
            "max_bytes_to_read": self.bytes_to_read,
            "max_result_rows": self.result_rows,
            "max_result_bytes": self.result_bytes,
        }


FREE = re.compile(
    r"output_format_(?!schema)\w+|format_csv_delimiter|format_csv_null_representation"
    r"|format_tsv_null_representation|date_time_(in|out)put_format|session_timezone"
    r"|join_use_nulls|transform_null_in|group_by_use_nulls|aggregate_functions_null_for_empty"
    r"|prefer_column_name_to_alias|union_default_mode|totals_mode|extremes"
    r"|result_overflow_mode|cast_keep_nullable"
    r"|max_block_size|decimal_check_overflow|short_circuit_function_evaluation"
    r"|cast_string_to_dynamic_use_inference|use_variant_as_common_type"
)
"""Settings of the output format or of query semantics that clients may set.

None of them can cause a condition to be evaluated before the filter by project, truncate the input
of Spanloom's conditions (as ``read_overflow_mode`` could truncate the list of deletions), or name a
file.
"""

IGNORED = re.compile(
    r"readonly|send_progress_in_http_headers|http_headers_progress_interval_ms|wait_end_of_query"
    r"|(http_response_)?buffer_size|http_write_exception_in_output_format|http_zlib_compression_level"
    r"|cancel_http_readonly_queries_on_client_close|add_http_cors_header|max_query_size|log_comment"
    r"|http_(receive|send|connection)_timeout|(receive|send|connect)_timeout|log_queries|stacktrace|query_id"
    r"|network_compression_method|async_insert|wait_for_async_insert|input_format_\w+|insert_\w+"
    r"|max_insert_block_size|enable_http_compression|compress|priority|workload"
)
"""Settings that clients send to every server and that have no effect here."""


def clamp(requested: Mapping[str, str], limits: SqlLimits) -> dict[str, str]:
    """Return the settings of a statement; raises ``SqlError`` for a setting that may not be set."""
    own = limits.settings
    settings = {name: f"{value:g}" if value < 1 else str(value) for name, value in own.items()}
    for name, value in requested.items():
        if name in own:
            settings[name] = _narrowed(name, value, own[name])
        elif FREE.fullmatch(name):
            settings[name] = value
        elif not is_ignored(name):
            raise SqlError(
                *(164, "READONLY"),
                f"The setting {name!r} cannot be set here; docs/sql.md lists those that can",
            )
    return settings


def is_settable(name: str) -> bool:
    """Return whether clients may set this setting."""
    return name in SqlLimits().settings or bool(FREE.fullmatch(name))


def is_ignored(name: str) -> bool:
    """Return whether the setting is accepted without effect."""
    return bool(IGNORED.fullmatch(name))


def _narrowed(name: str, value: str, limit: float) -> str:
    """Return the lower of value and limit; 0 means no limit in ClickHouse, so the limit stays."""
    try:
        number = float(value)
    except ValueError:
        raise SqlError(
            *(72, "CANNOT_PARSE_NUMBER"), f"The setting {name!r} takes a number, not {value!r}"
        ) from None
    if not 0 < number < limit:  # false for nan too
        return str(limit)
    return str(number) if name == "max_execution_time" else str(max(1, int(number)))
