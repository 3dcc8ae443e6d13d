"""The settings of each connection, by its purpose and its engine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from clickhouse_connect.driver.httpclient import HttpClient

from spanloom.core.ports.spans import LONGEST_APPEND_S
from spanloom.storage.engine.hosts.client import MUTATION_S, wait_for
from spanloom.storage.engine.hosts.roaming import RoamingClient
from spanloom.storage.engine.statements import WRITER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clickhouse_connect.driver.client import Client

Setting: TypeAlias = "str | int | Mapping[str, str]"

# Every relevant setting is set explicitly, because a server's profile may have another default. An
# equal INSERT is stored twice: a repeated row is recognised by its key, not by its block, and after
# a deletion in between the repeat must not be dropped silently.
COMMON_SETTINGS: Mapping[str, Setting] = {
    "log_comment": WRITER,  # identifies the writer, for upgrades
    "async_insert": 0,
    "insert_deduplicate": 0,  # for servers before 26.9
    "deduplicate_insert": "disable",  # replaces the previous setting since 26.9
    "deduplicate_insert_select": "disable",
    "max_partitions_per_insert_block": 0,
    "max_insert_threads": 1,
    "storage_file_read_method": "pread",  # a mapped file is in memory in addition to its rows
    "optimize_on_insert": 1,
    "do_not_merge_across_partitions_select_final": 0,
    "use_query_cache": 0,
    "use_query_condition_cache": 0,  # useless: each query has other keys
    "join_use_nulls": 0,
    # Compiling to machine code saves a tenth of the time in scans of millions of rows. But each
    # query with other values is compiled again, which takes half of the CPU time of a short query.
    "compile_expressions": 0,
    "compile_aggregate_expressions": 0,
    "compile_sort_description": 0,
    "output_format_json_quote_64bit_integers": 0,
    "output_format_json_quote_denormals": 0,
    "output_format_json_escape_forward_slashes": 0,
    "output_format_json_named_tuples_as_objects": 0,
}

# For INSERTs into ``otlp_requests``. One thread, so that a batch stays one block, in order. Merges
# remove spans sent twice, and readers handle them until then, because deduplicating each block took
# a quarter of the INSERT. The decoder's plan has nothing to optimize either, and trying takes a
# fifth of the time of a small batch. An INSERT that takes too long is aborted and repeated with a
# new time, because discovery looks back only for a limited time.
REQUEST_SETTINGS: Mapping[str, Setting] = {
    "max_execution_time": LONGEST_APPEND_S,
    "timeout_overflow_mode": "throw",
    "input_format_protobuf_oneof_presence": 1,
    "max_threads": 1,
    "optimize_on_insert": 0,
    "query_plan_enable_optimizations": 0,
}

# The extractor writes a key once a batch, so there is nothing to merge before it is stored. The
# rows of an INSERT are parsed at once into one block, which is stored completely or not at all.
WORKER_SETTINGS: Mapping[str, Setting] = {
    "optimize_on_insert": 0,
    "input_format_parallel_parsing": 0,
}

# For the keeper: a statement returns only when its deletion or rewrite is complete on the server to
# which it was sent. It does not wait for replicas, some of which may be down.
UPKEEP_SETTINGS: Mapping[str, Setting] = {"mutations_sync": 1, "alter_sync": 1}

# For reads on behalf of users. ``readonly`` must be last: no limit can be set after it.
READER_SETTINGS: Mapping[str, Setting] = {
    "max_execution_time": 10,
    "max_memory_usage": 1 << 30,
    "readonly": 1,
}

# For readers' queries in the query language: a separate connection, so that other queries do not
# wait for a long one. It times out before the API does, so that the error has the reason. With
# FINAL, splitting parts into layers, one for each thread, took a sixth of the CPU time and saved no
# time.
ASKER_SETTINGS: Mapping[str, Setting] = {
    "split_intersecting_parts_ranges_into_layers_final": 0,
    "max_execution_time": 8,
    "timeout_overflow_mode": "throw",
    "max_memory_usage": 1 << 30,
    "max_bytes_to_read": 32 << 30,
    "readonly": 1,
}

# For short queries, such as a ping, that must not wait for longer reads.
PROBER_SETTINGS: Mapping[str, Setting] = {"max_execution_time": 5, "readonly": 1}

# Settings with which a server's profile could change the effect or result of our statements. The
# values are the engine's defaults, so they are not sent to the embedded engine, which has no
# profiles.
GUARDS: Mapping[str, Setting] = {
    # An INSERT returns only when it is stored, as one block, through all its views, or fails.
    "wait_for_async_insert": 1,  # in case the profile sets async_insert
    "max_insert_block_size": 1_048_449,
    "min_insert_block_size_rows": 1_048_449,
    "min_insert_block_size_bytes": 268_402_944,
    "materialized_views_ignore_errors": 0,
    # Values are read and written in the formats that we use.
    "input_format_defaults_for_omitted_fields": 1,
    "date_time_input_format": "best_effort",
    "date_time_output_format": "simple",
    # Queries have the same meaning whatever the profile.
    "apply_deleted_mask": 1,
    "final": 0,
    "transform_null_in": 0,
    "group_by_use_nulls": 0,
    "aggregate_functions_null_for_empty": 0,
    "cast_keep_nullable": 0,
    "prefer_column_name_to_alias": 0,
    # A query that reaches a limit of the profile fails, because a partial result would be wrong.
    "timeout_overflow_mode": "throw",
    "read_overflow_mode": "throw",
    "result_overflow_mode": "throw",
    "group_by_overflow_mode": "throw",
    "sort_overflow_mode": "throw",
    "distinct_overflow_mode": "throw",
    "set_overflow_mode": "throw",
    "join_overflow_mode": "throw",
}


def to_send(client: Client, own: Mapping[str, Setting]) -> Iterator[tuple[str, Setting]]:
    """Yield the settings of a connection that its engine supports and its account may change.

    A server refuses every query with an unknown setting.
    """
    guards = GUARDS if isinstance(client, HttpClient) else {}
    for name, value in {**guards, **COMMON_SETTINGS, **own}.items():
        if can_set(client, name):
            yield name, value


def apply_settings(client: Client, own: Mapping[str, Setting]) -> None:
    """Apply the settings of a connection; for a server also to each host used later.

    A connection whose statements wait for their mutation has a longer read timeout.
    """
    if isinstance(client, RoamingClient):
        client.prepare(partial(_prepare, own=own))
    else:
        _send(client, own)


def _prepare(client: Client, own: Mapping[str, Setting]) -> None:
    _send(client, own)
    if own.get("mutations_sync"):
        wait_for(client, MUTATION_S)


def _send(client: Client, own: Mapping[str, Setting]) -> None:
    for name, value in to_send(client, own):
        client.set_client_setting(name, value)


def can_set(client: Client, name: str) -> bool:
    """Return whether the engine has a setting and the account may change it.

    An account with ``readonly = 1`` may not change any setting.
    """
    known = client.server_settings.get(name)
    return known is not None and not known.readonly
