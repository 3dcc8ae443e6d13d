"""Every panel of the Grafana dashboards queries a started service as Grafana's plugin does.

Grafana itself is not used; its macros are expanded as the plugin's documentation describes.
"""

from __future__ import annotations

import gzip
import re
import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

import clickhouse_connect
import httpx
import pytest
from tests.support.agents import REPOSITORY, await_trajectory
from tests.support.grafana import ALL, View, all_panels, dashboards, expand, fill, links_of
from tests.support.otlp_requests import START_NS, message_of, wire_span

from spanloom.storage.upkeep.reading import PUBLIC

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client
    from clickhouse_connect.driver.query import QueryResult
    from tests.conftest import RunningSpanloom, StartSpanloom

RECORDED = REPOSITORY / "tests" / "fixtures" / "recorded"
RUNS = ("s06_toolraise-oi", "s04_handoff-oi", "k2_dual-both")
FAILED = "52a3af95afdd5778ce0712e518c3f948"
"""The trace id of the run ``s06_toolraise-oi``."""
LOOPING = "ab" * 16
SETTINGS = {"max_execution_time": 30}
"""Settings that the plugin sends with every statement."""
WIDE = {"project": [ALL], "trace": [FAILED]}
RUN = "StartTime DateTime64(9), Project LowCardinality(String), TraceId String,"
RUN += " RootName LowCardinality(String)"
COLUMNS = {
    "Runs and failures": "time DateTime, runs UInt64, failures UInt64",
    "Duration of runs": "time DateTime, RootName LowCardinality(String), p50 Float64, p95 Float64",
    "Tokens by project and day": "time DateTime, Project LowCardinality(String), input Int64,"
    " output Int64",
    "Cost by project and day": "time DateTime, Project LowCardinality(String),"
    " cost Nullable(Float64)",
    "Models": "Model LowCardinality(String), calls UInt64, failed UInt64, p95 Float64,"
    " first_token_p95 Nullable(Float64), input_tokens Int64, output_tokens Int64,"
    " cost Nullable(Float64)",
    "Tools by error rate": "Name LowCardinality(String), runs UInt64, error_rate Float64,"
    " p95 Float64",
    "Handoffs": "from_agent String, to_agent LowCardinality(String), times UInt64",
    "Failed runs": f"{RUN}, Failures UInt32, duration Float64",
    "Loops": f"{RUN}, LongestRepeat UInt32, MostRepeats UInt32, ToolSteps UInt32",
    "Failed steps": "StepStartTime DateTime64(9), Project LowCardinality(String), TraceId String,"
    " StepId String, AgentName String, Type String, Name LowCardinality(String),"
    " ErrorType LowCardinality(String), ErrorMessage String",
    "Steps": "Position UInt32, StepStartTime DateTime64(9), Project LowCardinality(String),"
    " TraceId String, StepId String, AgentName String, Type String, Name LowCardinality(String),"
    " Model LowCardinality(String), duration Float64, input_tokens Int64, output_tokens Int64,"
    " cost Nullable(Float64), HasError Bool, ErrorMessage String",
    "Spans": "traceID String, spanID String, parentSpanID String,"
    " serviceName LowCardinality(String), operationName LowCardinality(String),"
    " startTime DateTime64(9), duration Float64, tags Array(Map(String, String)),"
    " serviceTags Array(Map(String, String)), statusCode UInt8, statusMessage String",
}
"""The columns of each panel's answer, in order: a time series begins with its time."""
PANELS = {panel["title"]: panel for _, panel in all_panels()}


def sql_of(title: str) -> str:
    """Return the SQL of a panel as it is written in the file."""
    [target] = PANELS[title]["targets"]
    return str(target["rawSql"])


class Store(NamedTuple):
    """A service with a few runs in it."""

    api: str
    client: Client
    view: View

    def ask(self, title: str, view: View | None = None) -> QueryResult:
        """Run the query of a panel."""
        return self.client.query(expand(sql_of(title), view or self.view), settings=SETTINGS)


@pytest.fixture(scope="module")
def store(start_shared_spanloom: StartSpanloom) -> Store:
    running = start_shared_spanloom(
        "serve", "--sql-port=0", "--root-quiet-s=0.2", "--no-root-quiet-s=1"
    )
    for name in RUNS:
        send(running, gzip.decompress((RECORDED / f"{name}.otlp.gz").read_bytes()))
    send(running, looping_run())
    for trace_id in (FAILED, LOOPING):
        await_trajectory(running.api, trace_id, 5)
    address = urlsplit(running.addresses["sql"])
    client = clickhouse_connect.get_client(host=address.hostname, port=address.port or 0)
    await_rest(client)
    times = "SELECT toInt64(min(StartTime)), toInt64(max(StartTime)) + 1 FROM v_trajectories"
    [(start, end)] = client.query(times).result_rows
    return Store(running.api, client, View(start, end, WIDE))


def send(running: RunningSpanloom, body: bytes) -> None:
    headers = {"Content-Type": "application/x-protobuf"}
    url = f"{running.addresses['otlp_http']}/v1/traces"
    assert httpx.post(url, content=body, headers=headers).is_success


def looping_run() -> bytes:
    """Return a run of another project: a priced, streamed model call, then one tool call thrice."""
    told: list[dict[str, object]] = [
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shopper"},
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.usage.input_tokens": 1000,
            "gen_ai.usage.output_tokens": 100,
            "gen_ai.response.time_to_first_chunk": 0.25,
        },
    ]
    search: dict[str, object] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.arguments": '{"q": "tea"}',
    }
    spans = [
        wire_span(LOOPING, n, parent=int(n > 1), start_ns=START_NS + n * 100, attributes=attributes)
        for n, attributes in enumerate([*told, search, search, search], 1)
    ]
    return message_of(spans, {"spanloom.project": "it's a shop"}).SerializeToString()


def await_rest(client: Client) -> None:
    settled = "SELECT count() FROM v_trajectories WHERE Status = 'settled'"
    until = time.monotonic() + 30
    while client.command(settled) != client.command("SELECT uniqExact(TraceId) FROM v_spans"):
        assert time.monotonic() < until, "the runs do not settle"
        time.sleep(0.2)


@pytest.mark.parametrize("title", COLUMNS)
def test_a_panel_gets_rows_of_its_types(store: Store, title: str) -> None:
    found = store.ask(title)
    columns = zip(found.column_names, found.column_types, strict=True)
    assert ", ".join(f"{name} {kind.name}" for name, kind in columns) == COLUMNS[title]
    assert found.result_rows
    named = [over["matcher"]["options"] for over in PANELS[title]["fieldConfig"]["overrides"]]
    assert set(named) <= set(found.column_names)


def test_every_panel_is_asked_for() -> None:
    assert [panel["title"] for _, panel in all_panels()] == list(COLUMNS)


@pytest.mark.parametrize("title", COLUMNS)
def test_a_panel_reads_by_an_index(store: Store, title: str) -> None:
    view = store.view._replace(chosen={"project": ["default"], "trace": [FAILED]})
    explained = store.client.query(f"EXPLAIN indexes = 1 {expand(sql_of(title), view)}")
    told = "\n".join(row[0] for row in explained.result_rows)
    reads = re.split(r"(?<!Lazily)ReadFromMergeTree", told)[1:]
    used = "Name: start\n" if "$__timeFilter" in sql_of(title) else "(TraceId in ['"
    assert reads
    assert [read for read in reads if used not in read] == []


def test_the_numbers_are_those_of_the_api(store: Store) -> None:
    asked = httpx.get(
        f"{store.api}/v1/trajectories", params={"duplicate": "false", "has_steps": "any"}
    )
    items = asked.json()["items"]
    runs = store.ask("Runs and failures").result_rows
    assert sum(row[1] for row in runs) == len(items)
    assert sum(row[2] for row in runs) == len([item for item in items if item["has_error"]]) > 0
    [row] = store.ask("Loops").named_results()
    assert (row["TraceId"], row["LongestRepeat"], row["Project"]) == (LOOPING, 3, "it's a shop")
    models = {row["Model"]: row for row in store.ask("Models").named_results()}
    assert models["gpt-4o"]["first_token_p95"] == 250
    assert models["gpt-4o"]["cost"] == pytest.approx(0.0035)
    assert models["scripted-1"]["cost"] is None


def test_project_and_time_narrow_every_panel(store: Store) -> None:
    shop, both = (
        store.view._replace(chosen={"project": projects, "trace": [LOOPING]})
        for projects in (["it's a shop"], ["it's a shop", "default"])
    )
    assert sum(row[1] for row in store.ask("Runs and failures", shop).result_rows) == 1
    assert store.ask("Failed runs", shop).result_rows == []
    assert store.ask("Models", both).result_rows == store.ask("Models").result_rows
    assert len(store.ask("Spans", shop).result_rows) == 5
    [project] = [v for v in dashboards()[0]["templating"]["list"] if v["name"] == "project"]
    found = store.client.query(expand(project["query"]["rawSql"], store.view))
    assert found.result_rows == [("default",), ("it's a shop",)]
    before = store.view._replace(start=1, end=2)
    timed = [title for title in COLUMNS if title != "Spans"]
    assert [title for title in timed if store.ask(title, before).result_rows] == []


@pytest.mark.parametrize("title", [title for title in COLUMNS if links_of(PANELS[title])])
def test_the_links_lead_to_what_they_name(store: Store, title: str) -> None:
    row = next(iter(store.ask(title).named_results()))
    variables = {"api": store.api, "__url_time_range": "from=1&to=2"}
    to_grafana, to_api = (
        [fill(link, row, variables) for link in links_of(PANELS[title]) if link.startswith(start)]
        for start in ("/d/", "${api}/")
    )
    for url in to_grafana:
        uid, _, query = url.removeprefix("/d/").partition("?")
        [there] = [found for found in dashboards() if found["uid"] == uid]
        names = {f"var-{variable['name']}" for variable in there["templating"]["list"]}
        assert set(parse_qs(query)) == names | {"from", "to"}
    for url in to_api:
        named = row["StepId"] if "/steps/" in url else row["TraceId"]
        assert named in httpx.get(url).raise_for_status().text
    assert len(to_grafana) + len(to_api) == len(links_of(PANELS[title]))


def test_the_dashboards_need_no_more_than_an_account_of_a_server_may_read() -> None:
    asked = {name for title in COLUMNS for name in re.findall(r"FROM (\w+)", sql_of(title))}
    assert asked <= set(PUBLIC)
