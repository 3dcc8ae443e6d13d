"""``spanloom eval rules``: the named rules, each with a sentence and an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import orjson
from rich.table import Table
from rich.text import Text

from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give_rows, rows_output
from spanloom.evaluation.rules.descriptions import describe_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from spanloom.cli.output import Form


@click.command(
    "rules",
    cls=TeachingCommand,
    examples=("spanloom eval rules", "spanloom eval rules | jq -c .example"),
)
@columns_option
@rows_output
def rules_command(*, columns: Sequence[str], form: Form) -> None:
    """List the rules of evaluators of kind `rules`: when each fails, and an example of its value.

    They need neither a reference nor a model. A value may be a mapping with options:
    `{value: 4, severity: warn, per: agent}`.
    """
    give_rows(iter(describe_rules()), _render, form=form, columns=columns)


def _render(rows: list[dict[str, Any]], console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("rule", "fails if", "example"):
        table.add_column(title)
    for row in rows:
        example = orjson.dumps(row["example"][row["rule"]]).decode()
        table.add_row(Text(row["rule"], "bold"), row["fails_if"], Text(example))
    console.print(table)
