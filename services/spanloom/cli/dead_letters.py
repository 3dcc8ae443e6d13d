"""``spanloom dead-letters``: lists, retries, exports or drops requests that the store refuses."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand, TeachingGroup
from spanloom.cli.output import give_rows, rows_output
from spanloom.cli.writing import writing
from spanloom.collector.spool.dead_letters import DeadLetters
from spanloom.config.store import StoreSettings
from spanloom.process.datadir import spool_in
from spanloom.terminal.tables import render_dead_letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.cli.output import Form
    from spanloom.config.settings import Settings

_every = click.option("--all", "every", is_flag=True, help="All dead letters, instead of SEQ.")
_chosen = click.argument("seqs", metavar="[SEQ]…", type=int, nargs=-1)


@click.group(
    "dead-letters",
    cls=TeachingGroup,
    invoke_without_command=True,
    examples=(
        "spanloom dead-letters list",
        "spanloom dead-letters retry 1795305174020513",
        "spanloom dead-letters export --all --to letters",
        "spanloom dead-letters drop --all",
    ),
)
@click.pass_context
def dead_letters_group(ctx: click.Context) -> None:
    """List, store again, export or drop requests that the store refuses.

    They were acknowledged, so they are kept in the data directory and count to the spool's
    bound. The service may run meanwhile.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@dead_letters_group.command("list", cls=SettingsCommand, sections=(StoreSettings,))
@rows_output
def list_command(form: Form, settings: Settings) -> None:
    """List dead letters, the oldest first, each with the error of the store."""
    with DeadLetters(spool_in(settings.data_dir)) as letters:
        waiting = letters.list()
    give_rows(
        map(asdict, waiting),
        lambda _, console: console.print(render_dead_letters(waiting, time.time_ns())),
        form=form,
    )


@dead_letters_group.command("retry", cls=SettingsCommand, sections=(StoreSettings,))
@_chosen
@_every
def retry_command(seqs: Sequence[int], every: bool, settings: Settings) -> None:
    """Have the service store dead letters again, at once or at its next start.

    Use it when the cause is fixed, after an upgrade for example. A request that is refused again
    becomes a dead letter again.
    """
    with DeadLetters(spool_in(settings.data_dir)) as letters:
        count = letters.retry(_choose(letters, seqs, every=every))
    click.echo(f"{count} to be stored again.")


@dead_letters_group.command("export", cls=SettingsCommand, sections=(StoreSettings,))
@_chosen
@_every
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The directory to write into.  [default: .]",
)
def export_command(seqs: Sequence[int], every: bool, folder: Path, settings: Settings) -> None:
    """Write dead letters as OTLP requests, one file SEQ.binpb each, and keep them."""
    with DeadLetters(spool_in(settings.data_dir)) as letters:
        chosen = _choose(letters, seqs, every=every)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        for seq in chosen:
            file = folder / f"{seq}.binpb"
            with writing(file):
                file.touch(mode=0o600)  # payloads stay as private as in the data directory
                file.write_bytes(letters.read_otlp(seq) or b"")
            click.echo(file)


@dead_letters_group.command("drop", cls=SettingsCommand, sections=(StoreSettings,))
@_chosen
@_every
def drop_command(seqs: Sequence[int], every: bool, settings: Settings) -> None:
    """Delete dead letters permanently; `export` them before if in doubt."""
    with DeadLetters(spool_in(settings.data_dir)) as letters:
        count = letters.drop(_choose(letters, seqs, every=every))
    click.echo(f"{count} dropped.")


def _choose(letters: DeadLetters, seqs: Sequence[int], *, every: bool) -> Sequence[int]:
    """Return the chosen sequence numbers; refuse unknown numbers before anything is changed."""
    if every == bool(seqs):
        raise click.UsageError("name dead letters by their SEQ, or use --all")
    all_seqs = [letter.seq for letter in letters.list()]
    if unknown := [seq for seq in seqs if seq not in all_seqs]:
        raise click.ClickException(
            f"there is no dead letter {unknown[0]}; `spanloom dead-letters list` shows all"
        )
    return all_seqs if every else seqs
