"""Which protocol the server speaks at the address of an exporter, tested with real servers."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc
import pytest
import trustme
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from spanloom.doctor.facts import ExporterFacts, Unknown
from spanloom.doctor.gather.exporter import look_at_exporter
from spanloom.process.serving import HttpServer, bind
from spanloom.process.tls import TlsFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.requests import Request

pytestmark = pytest.mark.service

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"


@pytest.fixture
def tls(tmp_path: Path) -> TlsFiles:
    issued = trustme.CA().issue_cert("localhost")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(certificate)
    issued.private_key_pem.write_to_path(key)
    return TlsFiles(certificate, key)


@pytest.fixture
def ports(tls: TlsFiles) -> Iterator[dict[str, int]]:
    """Yield a port per protocol, keyed by ``gRPC``, ``gRPC over TLS`` and so on."""
    server = grpc.server(ThreadPoolExecutor(1))
    made = {
        "gRPC": server.add_insecure_port("127.0.0.1:0"),
        "gRPC over TLS": server.add_secure_port("127.0.0.1:0", tls.grpc_credentials()),
    }
    server.start()
    servers = []
    for name, context in (("HTTP", None), ("HTTP over TLS", tls.http_context(ask_clients=False))):
        listener = bind("127.0.0.1", 0, "--otlp-http-port")
        servers.append(HttpServer(PlainTextResponse("here"), listener, "http", context))
        servers[-1].start()
        made[name] = servers[-1].port
    yield made
    server.stop(None)
    for one in servers:
        one.stop(grace_s=1)


def test_both_protocols_are_told_apart_in_the_clear_and_over_tls(ports: dict[str, int]) -> None:
    for name, port in ports.items():
        scheme = "https" if "TLS" in name else "http"
        found = look_at_exporter({ENDPOINT: f"{scheme}://user:secret@127.0.0.1:{port}/v1/traces"})
        assert isinstance(found, ExporterFacts)
        assert found[:4] == (f"127.0.0.1:{port}/v1/traces", "", name.partition(" ")[0], "")


def test_what_is_said_of_traces_alone_counts_more(ports: dict[str, int]) -> None:
    found = look_at_exporter(
        {
            ENDPOINT: "http://127.0.0.1:1",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"127.0.0.1:{ports['gRPC']}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc",
        }
    )
    assert isinstance(found, ExporterFacts)
    assert found[:4] == (f"127.0.0.1:{ports['gRPC']}", "grpc", "gRPC", "")
    assert found.status == 404  # the server has no services, so no Export either


def test_the_scheme_that_is_answered(ports: dict[str, int]) -> None:
    for name, port in ports.items():
        wrong, right = ("http", "https") if "TLS" in name else ("https", "http")
        found = look_at_exporter({ENDPOINT: f"{wrong}://127.0.0.1:{port}"})
        assert isinstance(found, ExporterFacts)
        assert (found.scheme, found.speaks, found.error) == (right, "", ""), name


def test_the_variables_that_decide() -> None:
    found = look_at_exporter({ENDPOINT: "http://a", TRACES_ENDPOINT: "http://127.0.0.1:1"})
    assert isinstance(found, ExporterFacts)
    assert (found.variable, found.is_disabled) == (TRACES_ENDPOINT, False)
    found = look_at_exporter({ENDPOINT: "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "True"})
    assert isinstance(found, ExporterFacts)
    assert (found.variable, found.is_disabled) == (ENDPOINT, True)


def test_what_leads_nowhere() -> None:
    assert isinstance(look_at_exporter({}), Unknown)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    for endpoint in (f"http://{address}", "http://127.0.0.1:none", "http://[::1"):
        found = look_at_exporter({ENDPOINT: endpoint})
        assert isinstance(found, ExporterFacts)
        assert found.error


def test_what_an_sdk_would_request_and_how_it_is_answered() -> None:
    """The server has one path and one key, as a collector does."""

    async def answer(request: Request) -> Response:
        if request.url.path != "/v1/traces":
            key = "detail" if request.url.path == "/" else "message"  # as the API's port answers it
            return JSONResponse({key: "There is nothing."}, 404)
        is_known = request.headers.get("authorization") == "Bearer sl_a"
        return Response(status_code=200) if is_known else JSONResponse({"message": "No."}, 401)

    listener = bind("127.0.0.1", 0, "--otlp-http-port")
    server = HttpServer(
        Starlette(routes=[Route("/{a:path}", answer, methods=["POST"])]), listener, "http"
    )
    server.start()
    base = f"127.0.0.1:{server.port}"
    key = {"OTEL_EXPORTER_OTLP_HEADERS": "x=1, authorization=Bearer%20sl_a"}
    try:
        for variables, path, status in (
            ({ENDPOINT: f"http://{base}"} | key, "/v1/traces", 200),
            ({ENDPOINT: f"http://{base}/"} | key, "/v1/traces", 200),
            ({ENDPOINT: f"http://{base}/"}, "/v1/traces", 401),
            ({ENDPOINT: f"http://{base}/v1/traces"}, "/v1/traces/v1/traces", 404),
            ({TRACES_ENDPOINT: f"http://{base}/v1/traces"} | key, "/v1/traces", 200),
            ({TRACES_ENDPOINT: f"http://{base}"} | key, "/", 404),
        ):
            found = look_at_exporter(variables)
            assert isinstance(found, ExporterFacts)
            assert (found.path, found.status) == (path, status), variables
            assert found.answer == {200: "", 401: "No.", 404: "There is nothing."}[status]
        found = look_at_exporter({ENDPOINT: base})
        assert isinstance(found, ExporterFacts)
        assert not found.has_scheme
    finally:
        server.stop(grace_s=1)
