"""``spanloom instrument``: the packages, code and variables that make agents send spans."""

from __future__ import annotations

import sys

import click
import orjson

from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, give_rows, is_form_chosen, lines_output
from spanloom.recipes import (
    ENDPOINT,
    UnknownRecipeError,
    find_framework,
    find_recipe,
    framework_as_json,
    read_frameworks,
    recipe_as_json,
)
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.reports import render_frameworks, render_recipe


def to_endpoint(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Return an HTTP URL without its final slash.

    Refuse characters that would break a pasted line.
    """
    if not text.startswith(("http://", "https://")) or not text.isprintable() or " " in text:
        raise click.BadParameter(f"{text!r} is no address such as {ENDPOINT}")
    return text.rstrip("/")


@click.command(
    "instrument",
    cls=TeachingCommand,
    examples=(
        "spanloom instrument",
        "spanloom instrument langgraph",
        "spanloom instrument langgraph langfuse",
        "spanloom instrument openai --endpoint https://spanloom.example:4318",
        "spanloom instrument crewai > setup.txt",
        "spanloom instrument vercel-ai --json | jq -r .code",
    ),
)
@click.argument("framework", required=False)
@click.argument("way", required=False)
@click.option(
    "--endpoint",
    metavar="URL",
    default=ENDPOINT,
    show_default=True,
    callback=to_endpoint,
    help="URL of the service's OTLP over HTTP.",
)
@lines_output
@click.pass_context
def instrument_command(
    ctx: click.Context, /, framework: str | None, way: str | None, endpoint: str, form: Form
) -> None:
    """Show how to set up a framework to send spans.

    Without FRAMEWORK it lists the frameworks. WAY is one of several instrumentations; without it
    the recommended one is shown, as code in a pipe or a file too, as JSON with --json. No service
    needs to run.
    """
    if framework is not None and not is_form_chosen(ctx):
        form = Form.TABLE
    try:
        _print(framework, way, endpoint, form=form)
    except UnknownRecipeError as error:
        raise click.UsageError(str(error)) from None


def _print(name: str | None, way: str | None, endpoint: str, *, form: Form) -> None:
    if name is None:
        frameworks = read_frameworks(endpoint)
        rows = map(framework_as_json, frameworks)
        give_rows(rows, lambda _, console: render_frameworks(frameworks, console), form=form)
        return
    framework = find_framework(name, endpoint)
    recipe = find_recipe(framework, way)
    if form is Form.TABLE:
        render_recipe(framework, recipe, make_console(sys.stdout))
    else:
        body = orjson.dumps(recipe_as_json(framework, recipe))
        write_json(body, sys.stdout, indent=form is Form.JSON)
