"""``spanloom sql``: runs a statement on the SQL port of a service."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import ServiceError, client_option, to_url_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, rows_output
from spanloom.client.address import Address
from spanloom.client.errors import ClientError
from spanloom.client.sql import DEFAULT_SQL_URL, ask_sql, find_sql_url
from spanloom.core.showing.csv_text import csv_lines
from spanloom.terminal.numbers_table import FORMAT, read_rows, render_sql
from spanloom.terminal.output import make_console, write_text

if TYPE_CHECKING:
    from spanloom.client.client import Client
    from spanloom.client.sql import SqlPieces

_FORMATS = {Form.JSON: "JSONEachRow", Form.JSONL: "JSONEachRow"}
_EXACT = {
    "output_format_json_quote_64bit_integers": "0",
    "output_format_json_quote_decimals": "0",
    "output_format_json_quote_denormals": "1",
}
"""ClickHouse settings: numbers keep all digits; ``nan`` and ``inf`` are strings, as JSON lacks
them.
"""
_ARRAY = {"output_format_json_array_of_rows": "1"}


@click.command(
    "sql",
    cls=TeachingCommand,
    examples=(
        "spanloom sql 'SELECT RootName, count(), sum(InputTokens) FROM v_trajectories GROUP BY 1'",
        "spanloom sql 'DESCRIBE v_steps'",
        "spanloom sql 'SELECT TraceId, Cost FROM v_trajectories' --csv > costs.csv",
        "spanloom sql 'SHOW TABLES' --format Markdown",
    ),
)
@click.argument("statement", metavar="STATEMENT")
@click.option(
    "--format",
    "named",
    metavar="NAME",
    help="Print this format of ClickHouse, byte for byte: Parquet, Vertical, Markdown.",
)
@rows_output
@click.option(
    "--sql-url",
    metavar="URL",
    callback=to_url_option,
    envvar="SPANLOOM_SQL_URL",
    help="URL of the SQL port; also SPANLOOM_SQL_URL. By default the one that the service names, "
    f"or else {DEFAULT_SQL_URL}.",
)
@client_option
def sql_command(
    statement: str, named: str | None, form: Form, sql_url: str | None, client: Client
) -> None:
    """Query a service in ClickHouse SQL: one read-only statement.

    The service needs a port for it: spanloom serve --sql-port 8123. STATEMENT `-` is read from
    standard input. The public views are v_trajectories, v_steps, v_spans, v_annotations and
    v_scores. Numbers are never rounded.
    """
    text = sys.stdin.read() if statement == "-" else statement
    settings = _EXACT | (_ARRAY if form is Form.JSON else {})
    fmt = named or _FORMATS.get(form, FORMAT)
    address = Address(sql_url or find_sql_url(client), os.environ.get("SPANLOOM_API_KEY", ""))
    try:
        with ask_sql(address, text, fmt, settings) as answer:
            _give(answer, form)
    except ClientError as error:
        start = "spanloom serve --sql-port 8123"
        raise ServiceError(error, "--sql-url", start) from error


def _give(answer: SqlPieces, form: Form) -> None:
    """Print a result: as a table if it is in the format for tables, otherwise unchanged."""
    if answer.format != FORMAT or form in _FORMATS:
        _pass_on(answer)
        return
    result = read_rows(b"".join(answer.pieces))
    if form is Form.TABLE:
        render_sql(result, make_console(sys.stdout))
    else:
        write_text(csv_lines([result.names, *result.rows] if result.names else []), sys.stdout)


def _pass_on(answer: SqlPieces) -> None:
    if sys.stdout.isatty():
        if not answer.is_text:
            raise click.UsageError(f"{answer.format} is for a file or a pipe, not for a terminal")
        write_text(b"".join(answer.pieces).decode(errors="replace"), sys.stdout)
        return
    for piece in answer.pieces:
        sys.stdout.buffer.write(piece)
