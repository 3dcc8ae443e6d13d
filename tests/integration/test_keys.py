"""API keys made or revoked by the command take effect in a running service within a second."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from opentelemetry.sdk.trace.export import SpanExporter
    from tests.conftest import RunSpanloom, StartSpanloom

COUNTS_S = 15.0
"""Seconds until a change of keys takes effect: 1 by design, more on a busy machine."""


def status_within(wanted: int, url: str, key: str = "") -> bool:
    """Return whether requests to the URL get the wanted status within ``COUNTS_S`` seconds."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    until = time.monotonic() + COUNTS_S
    while time.monotonic() < until:
        if httpx.get(url, headers=headers).status_code == wanted:
            return True
        time.sleep(0.05)
    return False


def test_the_command_works_while_the_service_runs(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    service = start_spanloom(data_dir=data_dir)
    service.wait_until_ready()
    url = f"{service.api}/v1/trajectories"
    assert httpx.get(url).status_code == 200

    data = f"--data-dir={data_dir}"
    made = run_spanloom("keys", "create", "--project=p", "--scopes=read", data)
    key = made.stdout.strip()
    assert status_within(401, url)
    assert status_within(200, url, key)

    assert run_spanloom("keys", "revoke", key.split("_")[1], data).returncode == 0
    assert status_within(401, url, key)
    assert service.stop() == 0
    assert key not in service.log
    listed = run_spanloom("keys", "list", "--json", data).stdout
    assert '"last_used_at":null' not in listed


def test_another_address_needs_keys_or_the_switch(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = f"--data-dir={tmp_path / 'data'}"
    ports = ["--api-port=0", "--otlp-grpc-port=0", "--otlp-http-port=0"]
    refused = run_spanloom("serve", "--host=0.0.0.0", *ports, data)  # refused
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "spanloom keys create" in refused.stderr
    assert "--insecure" in refused.stderr
    assert refused.stderr.splitlines()[-1].startswith("spanloom: --host 0.0.0.0 is reachable")

    started = start_spanloom("serve", "--host=0.0.0.0", "--insecure")  # with the switch
    started.wait_until_ready()
    assert started.stop() == 0

    run_spanloom("keys", "create", "--project=p", "--scopes=read", data)
    started = start_spanloom("serve", "--host=0.0.0.0")  # with a key
    started.wait_until_ready()
    assert httpx.get(f"{started.api}/v1/trajectories").status_code == 401


def trace_of(exporter: SpanExporter) -> str:
    """Send one span and return its trace id."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("tests").start_as_current_span("run") as span:
        trace_id = format(span.get_span_context().trace_id, "032x")
    provider.shutdown()
    return trace_id


def test_two_projects_on_one_service_never_see_each_other(
    start_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stock exporters over gRPC and HTTP send the key from the documented variable."""
    data = tmp_path / "data"
    keys = {
        project: run_spanloom(
            "keys", "create", f"--project={project}", "--scopes=ingest,read", f"--data-dir={data}"
        ).stdout.strip()
        for project in ("one", "two")
    }
    service = start_spanloom("serve", "--root-quiet-s=0.1", data_dir=data)
    service.wait_until_ready()
    traces = {}
    for project, key in keys.items():
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"authorization=Bearer%20{key}")
        traces[project] = (
            trace_of(GrpcExporter(endpoint=service.addresses["otlp_grpc"], insecure=True)),
            trace_of(HttpExporter(endpoint=f"{service.addresses['otlp_http']}/v1/traces")),
        )
    list_url = f"{service.api}/v1/trajectories"
    for project, other in (("one", "two"), ("two", "one")):
        key = keys[project]
        headers = {"Authorization": f"Bearer {key}"}
        for trace in traces[project]:
            assert status_within(200, f"{list_url}/{trace}", key)
        for trace in traces[other]:
            for path in (f"/{trace}", f"/{trace}/spans", f"/{trace}?project={other}"):
                assert httpx.get(list_url + path, headers=headers).status_code == 404
        for query in ("?has_steps=any", f"?has_steps=any&project={project}"):
            items = httpx.get(list_url + query, headers=headers).json()["items"]
            assert {item["trace_id"] for item in items} == set(traces[project])
        assert (
            httpx.get(f"{list_url}?has_steps=any&project={other}", headers=headers).json()["items"]
            == []
        )

    named = {"SPANLOOM_API_KEY": keys["one"]}
    listed = run_spanloom("list", "--all", "--json", f"--api-url={service.api}", env=named)
    assert all(trace in listed.stdout for trace in traces["one"])
    shown = run_spanloom("show", traces["one"][0], f"--api-url={service.api}", env=named)
    assert shown.returncode == 0, shown.stderr
    missing = run_spanloom("list", f"--api-url={service.api}")
    assert missing.returncode == 1
    assert "makes one; put a key into SPANLOOM_API_KEY" in missing.stderr


def test_a_server_that_is_away_is_one_line(run_spanloom: RunSpanloom) -> None:
    ended = run_spanloom("keys", "list", "--store-url=clickhouse://me@127.0.0.1:1/d")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), ended.stderr
    assert ended.stderr.startswith("spanloom: cannot open the store")
