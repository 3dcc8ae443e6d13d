"""Allowlists for the syntax of statements. Anything not listed is refused, even future syntax.

Functions are the exception: nearly all of the 1,700 only compute, so the list names the refused
functions, which read or affect more than a row. ``tests/support/reviewed_functions.txt`` has every
reviewed function, and a test fails when the engine adds another.
"""

from __future__ import annotations

import re

NODES = frozenset(
    {
        *("SelectWithUnionQuery", "SelectIntersectExceptQuery", "SelectQuery", "ExplainQuery"),
        *("ExpressionList", "WithElement", "Subquery", "Function", "Literal", "SampleRatio"),
        *("TablesInSelectQuery", "TablesInSelectQueryElement", "TableExpression"),
        *("TableIdentifier", "TableJoin", "ArrayJoin", "Identifier", "QueryParameter"),
        *("Asterisk", "QualifiedAsterisk", "ColumnsRegexpMatcher", "ColumnsListMatcher"),
        *("QualifiedColumnsRegexpMatcher", "QualifiedColumnsListMatcher"),
        *("ColumnsTransformerList", "ColumnsApplyTransformer", "ColumnsExceptTransformer"),
        *("ColumnsReplaceTransformer", "ColumnsReplaceTransformerReplacement"),
        *("OrderByElement", "InterpolateElement", "WindowListElement", "WindowDefinition"),
        *("SetQuery", "ShowTablesQuery", "ShowColumnsQuery", "ShowIndexesQuery"),
    }
)
"""Allowed node types, named as in the engine's parser."""

EXPLAINED = frozenset(
    {
        *("EXPLAIN", "EXPLAIN AST", "EXPLAIN SYNTAX", "EXPLAIN QUERY TREE"),
        *("EXPLAIN PIPELINE", "EXPLAIN ESTIMATE"),
    }
)

TABLE_FUNCTIONS = frozenset(
    {
        *("numbers", "numbers_mt", "zeros", "zeros_mt", "generate_series", "generateseries"),
        *("values", "null", "view"),
    }
)
"""Allowed table functions, in lower case; none of them reads stored data.

``merge``, ``loop`` and ``mergeTreeIndex`` are not allowed, because they would read tables without
the filter by project.
"""

REFUSED_FUNCTIONS = re.compile(
    r"__.*|file|filesystem.*|sleep.*|hascolumnintable|joinget.*|dict.*|catboost.*|ai.*"
    r"|generateembedd.*|generateserialid|zookeeper.*|showcertificate|getclienthttpheader"
    r"|getmacro|getserverport|getserversetting|getmergetreesetting|addressto.*|demangle|trap|logtrace"
    r"|transaction.*|evalmlmethod|naivebayes.*|fuzzquery|mergetreepartinfo|ismergetreepartcoveredby"
    r"|structureto.*schema|estimatecompressionratio|url|remote.*|s3.*|executable"
    r"|(current|enabled|default)profiles"
)
"""Functions, in lower case, that access the host, other processes, time or tables by name."""

IN_FUNCTIONS = frozenset(
    {
        prefix + verb + suffix
        for prefix in ("", "global")
        for verb in ("in", "notin", "nullin", "notnullin")
        for suffix in ("", "ignoreset")
    }
)
"""Operators whose right-hand side may name a table: ``1 IN trajectories``."""

SHOWN = frozenset(
    {
        *("type", "databases", "full", "from", "like", "not_like", "case_insensitive_like"),
        *("where_expression", "limit_length", "settings", "changed", "extended", "database"),
        *("table", "is_outfile_append", "is_outfile_truncate", "is_into_outfile_with_stdout"),
        *("format_ast", "settings_ast"),
    }
)
"""Allowed clauses of SHOW; ``merges``, ``clusters`` and ``caches`` are not among them."""

SYSTEM_TABLES = frozenset(
    {
        *("one", "numbers", "numbers_mt", "zeros", "settings", "functions", "formats"),
        *("table_functions", "aggregate_function_combinators", "data_type_families"),
        *("keywords", "collations", "time_zones", "build_options", "licenses", "errors_help"),
        *("databases", "tables", "columns"),
    }
)
"""System tables that reveal nothing about stored data; every key may read them.

In ``tables`` and ``columns`` a key of one project sees no sizes (``SIZES``).
"""

SYSTEM_TABLES_OF_ALL = SYSTEM_TABLES | {
    *("parts", "parts_columns", "data_skipping_indices", "disks", "mutations", "merges"),
    *("metrics", "events", "asynchronous_metrics"),
}
"""The system tables for keys of all projects, including tables that reveal amounts of data.

No key may read the texts of other callers' queries (``processes``, ``query_log``).
"""

FORMATS = re.compile(
    r"JSON\w*|TabSeparated\w*|TSV\w*|TSKV|CSV\w*|Pretty\w*|Vertical|Values|RowBinary\w*|Native|Parquet"
    r"|Arrow|ArrowStream|ORC|Avro|XML|Markdown|MsgPack|Null|RawBLOB|BSONEachRow|NDJSON|SQLInsert"
)
"""Allowed output formats; none of them reads a file, as a template or a schema would."""

SIZES = frozenset(
    {
        *("total_rows", "total_bytes", "total_bytes_uncompressed", "parts", "active_parts"),
        *("total_marks", "lifetime_rows", "lifetime_bytes", "data_paths", "metadata_path"),
        *("data_compressed_bytes", "data_uncompressed_bytes", "marks_bytes", "data_path"),
        *("statistics", "metadata_modification_time", "active_on_fly_data_mutations"),
        *("active_on_fly_metadata_mutations", "active_on_fly_alter_mutations"),
    }
)
"""Columns of ``system.tables``, ``columns`` and ``databases`` that reveal amounts of data."""
