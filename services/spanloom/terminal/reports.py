"""Reports of the commands ``doctor``, ``instrument`` and ``demo``."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any

import orjson
from rich import box
from rich.table import Table
from rich.text import Text

from spanloom.core.document import Document
from spanloom.core.model.diagnosis import FindingStatus
from spanloom.core.showing.values import duration, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console, RenderableType

    from spanloom.core.document import DocumentStep
    from spanloom.core.model.diagnosis import Finding
    from spanloom.recipes import Framework, Recipe


_STYLES = {
    FindingStatus.OK: "green",
    FindingStatus.WARNING: "yellow",
    FindingStatus.PROBLEM: "bold red",
    FindingStatus.SKIPPED: "dim",
}


def render_findings(findings: Sequence[Finding]) -> RenderableType:
    """Return a table with the name and status of each check, its finding and the remedy."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("check", "status", "found, and what to do"):
        table.add_column(title, no_wrap=title in {"check", "status"})
    for finding in findings:
        style = _STYLES[finding.status]
        text = Text(printable(finding.found), "dim" if style == "dim" else "")
        if finding.todo:
            text.append(f"\n→ {printable(finding.todo)}", "cyan")
        table.add_row(finding.name, Text(finding.status, style), text)
    return table


def findings_json(findings: Sequence[Finding]) -> bytes:
    """Return ``{"status": "ok", "findings": [...]}``; the status is the worst of the findings."""
    statuses = list(FindingStatus)  # the worst last
    worst = max((f.status for f in findings), key=statuses.index, default=FindingStatus.OK)
    return orjson.dumps({"status": worst, "findings": list(map(asdict, findings))})


KEYED = "If the service has keys, also (`spanloom keys create --project NAME --scopes ingest`)"
KEYED_SETTINGS = (
    "If the service has keys, instead (`spanloom keys create --project NAME --scopes ingest`)"
)


def render_frameworks(frameworks: Sequence[Framework], console: Console) -> None:
    """Print the frameworks as a table, then the command that prints a framework's recipe."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True, style="bold")
    table.add_column("framework", no_wrap=True)
    table.add_column("language", no_wrap=True)
    table.add_column("by", ratio=1)
    for one in frameworks:
        ways = ", ".join(recipe.instrumentation for recipe in one.recipes)
        table.add_row(one.name, one.title, one.language, ways)
    console.print(table)
    console.print(f"\n`spanloom instrument {frameworks[0].name}` shows the setup of one.")


def render_recipe(framework: Framework, recipe: Recipe, console: Console) -> None:
    """Print a recipe, from installation to viewing the first run, then other recipes' names."""
    _print(console, _title(framework, recipe))
    _print(console, f"{recipe.line}\n")
    _part(console, "Install", recipe.install)
    if recipe.code:
        _part(console, "Write this before any code that creates agents", recipe.code.strip())
    if recipe.settings:
        _part(console, f"Write into {recipe.settings_file}", recipe.settings.strip())
    if recipe.variables:
        _part(console, "Export these where the agents run", "\n".join(exports(recipe.variables)))
    for note in filter(None, (recipe.notes, recipe.untried)):
        _print(console, f"{note}\n")
    if recipe.key_variables:
        _part(console, KEYED, "\n".join(exports(recipe.key_variables)))
    if recipe.key_settings:
        _part(console, KEYED_SETTINGS, recipe.key_settings.strip())
    _part(console, "Run the agents, then look", "spanloom list\nspanloom show latest")
    _others(framework, recipe, console)


def exports(variables: Mapping[str, str]) -> list[str]:
    """Return shell lines that export the variables."""
    return [f"export {name}={quote(value)}" for name, value in variables.items()]


def _title(framework: Framework, recipe: Recipe) -> Text:
    return Text(f"{framework.title} ({framework.language}) by {recipe.instrumentation}", "bold")


def _part(console: Console, title: str, lines: str) -> None:
    _print(console, Text(f"{title}:", "dim"))
    console.file.write(f"{lines}\n\n")  # rich would turn tabs into spaces


def _others(framework: Framework, recipe: Recipe, console: Console) -> None:
    others = [one for one in framework.recipes if one is not recipe]
    if not others:
        return
    if framework.why:
        _print(console, framework.why)
    _print(console, Text("Other ways:", "dim"))
    for one in others:
        _print(console, f"spanloom instrument {one.name}  {one.line}")


def _print(console: Console, text: str | Text) -> None:
    """Print without wrapping, so that the lines can be copied."""
    console.print(text, soft_wrap=True)


_COLUMNS = ("models", "tools", "model time", "tool time", "input", "output", "errors")


def print_metrics(document: dict[str, Any], console: Console) -> None:
    """Print the metrics of each agent and of the whole run as a table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=False)
    table.add_column("metrics", no_wrap=True)
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    view = Document(document)
    for agent in view.agents:
        if agent.id != view.root.id:
            table.add_row(*_row(agent, Counter(step.type for step in agent.steps)))
    table.add_section()
    table.add_row(*_row(view.root, view.extraction.step_counts), style="bold")
    console.print(table)


def print_addresses(trace_id: str, addresses: dict[str, str], console: Console) -> None:
    """Print the URLs that show a trajectory, and the addresses to which agents send spans."""
    api = addresses["api"]
    rows = {
        "in a browser": page_url(trace_id, api),
        "document": f"{api}/v1/trajectories/{trace_id}",
        "every span": f"{api}/v1/trajectories/{trace_id}/spans",
        "API": f"{api}/openapi.json",
        "terminal": f"spanloom show {trace_id} --api-url {api}",
        "your agents": f"OTEL_EXPORTER_OTLP_ENDPOINT={addresses['otlp_http']}",
        "… over gRPC": f"OTEL_EXPORTER_OTLP_ENDPOINT={addresses['otlp_grpc']}",
    }
    for label, value in rows.items():
        console.print(Text.assemble((f"{label:<13}", "dim"), value), soft_wrap=True)


def page_url(trace_id: str, api: str) -> str:
    """Return the URL of a run's page."""
    return f"{api}/trajectories/{trace_id}"


def _row(step: DocumentStep, counts: Mapping[str, int]) -> tuple[str, ...]:
    metrics = step.metrics
    return (
        printable(step.name),
        str(counts.get("model", 0)),
        str(counts.get("tool", 0)),
        duration(metrics.llm_duration),
        duration(metrics.tool_duration),
        f"{metrics.input_tokens:,}",
        f"{metrics.output_tokens:,}",
        str(metrics.failed_models + metrics.failed_tools),
    )
