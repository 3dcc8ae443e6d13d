"""What the demonstration prints under the tree: metrics by agent, and where to look further."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from spanloom.core.document import Document
from spanloom.core.showing.values import duration, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from spanloom.core.document import DocumentStep

_COLUMNS = ("models", "tools", "model time", "tool time", "input", "output", "errors")


def print_metrics(document: dict[str, Any], console: Console) -> None:
    """Print the metrics of each agent and of the whole, as the document has them."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=False)
    table.add_column("metrics", no_wrap=True)
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    view = Document(document)
    for agent in view.agents:
        if agent.id != view.root.id:
            table.add_row(*_row(agent, Counter(step.type for step in agent.steps)))
    table.add_section()
    table.add_row(*_row(view.root, view.extraction["step_counts"]), style="bold")
    console.print(table)


def print_ways_on(trace_id: str, addresses: dict[str, str], console: Console) -> None:
    """Print the addresses that show more of this trajectory, and how to send another."""
    api = addresses["api"]
    rows = {
        "in a browser": page_of(trace_id, api),
        "document": f"{api}/v1/trajectories/{trace_id}",
        "every span": f"{api}/v1/trajectories/{trace_id}/spans",
        "API": f"{api}/openapi.json",
        "terminal": f"spanloom show {trace_id} --api-url {api}",
        "your agents": f"OTEL_EXPORTER_OTLP_ENDPOINT={addresses['otlp_http']}",
        "… over gRPC": f"OTEL_EXPORTER_OTLP_ENDPOINT={addresses['otlp_grpc']}",
    }
    for label, value in rows.items():
        console.print(Text.assemble((f"{label:<13}", "dim"), value), soft_wrap=True)


def page_of(trace_id: str, api: str) -> str:
    """Return the address of a run's page."""
    return f"{api}/trajectories/{trace_id}"


def _row(step: DocumentStep, counts: Mapping[str, int]) -> tuple[str, ...]:
    metrics = step.metrics_info
    errors = [*metrics["model_errors"].values(), *metrics["tool_errors"].values()]
    return (
        printable(step.name),
        str(counts.get("model", 0)),
        str(counts.get("tool", 0)),
        duration(int(metrics["llm_duration"])),
        duration(int(metrics["tool_duration"])),
        f"{metrics['input_tokens']:,}",
        f"{metrics['output_tokens']:,}",
        str(sum(map(len, errors))),
    )
