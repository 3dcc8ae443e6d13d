"""Checks of the installed software, and of the destination of exporters in this shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.doctor.check import Verdict, ok, problem, warning
from spanloom.doctor.facts import GRPC, HTTP

if TYPE_CHECKING:
    from spanloom.doctor.facts import ExporterFacts, SoftwareFacts


def spanloom(software: SoftwareFacts) -> Verdict:
    """Report the versions of Spanloom and Python."""
    return ok(f"Spanloom {software.spanloom}, Python {software.python}")


def packages(software: SoftwareFacts) -> Verdict:
    """Problem if a package that Spanloom needs is missing or of an unsupported version."""
    if not software.misfits:
        return ok(f"{software.packages} packages, each of a version that Spanloom is made for")
    return problem(
        "; ".join(software.misfits), "`pip install --upgrade spanloom` in this environment"
    )


_HTTP_TO_GRPC = "an exporter over HTTP gets an answer there that is not HTTP"


_FOR_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_START = "start `spanloom serve`, or export the address that it prints"
_ENABLE = "unset OTEL_SDK_DISABLED where the agents run"
_UNANSWERED = frozenset({404, 405})
_UNAUTHORIZED = frozenset({401, 403})
_FIRST_ERROR, _FIRST_SERVER_ERROR, _TOO_MANY = 400, 500, 429


def exporter(exporter: ExporterFacts) -> Verdict:
    """Problem if the OTEL_… variables name no answer, a wrong protocol or path, or a bad key."""
    where = f"{exporter.variable} leads to {exporter.address}"
    return (
        _silence(exporter, where)
        or _wrong_protocol(exporter, where)
        or _wrong_address(exporter, where)
        or _refusal(exporter, where)
        or ok(f"{where}, which takes {exporter.speaks}")
    )


def _silence(exporter: ExporterFacts, where: str) -> Verdict | None:
    """Return a problem if SDKs send nothing, or if no OTLP receiver answers at the address."""
    if exporter.is_disabled:
        return problem(f"{where}, but OTEL_SDK_DISABLED is true: SDKs send nothing", _ENABLE)
    if exporter.scheme:
        found = "speaks no TLS" if exporter.scheme == "http" else "speaks TLS alone"
        return problem(
            f"{where}, which {found}",
            f"export {exporter.variable}={exporter.scheme}://{exporter.address}",
        )
    if exporter.error:
        return problem(f"{where}, where nothing answers: {exporter.error}", _START)
    if not exporter.speaks:
        return warning(f"{where}, which speaks neither HTTP nor gRPC", _START)
    return None


def _wrong_protocol(exporter: ExporterFacts, where: str) -> Verdict | None:
    protocol = exporter.protocol
    if exporter.speaks == GRPC and protocol != "grpc":
        reason = f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}" if protocol else "most SDKs send HTTP"
        return (problem if protocol else warning)(
            f"{where}, which takes gRPC, and {reason}: {_HTTP_TO_GRPC}",
            "to send HTTP export the port of OTLP/HTTP (4318), to send gRPC "
            "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
        )
    if exporter.speaks == HTTP and protocol == "grpc":
        return problem(
            f"{where}, which takes HTTP, and OTEL_EXPORTER_OTLP_PROTOCOL is grpc",
            "export the port of OTLP/gRPC (4317), or OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        )
    return None


def _wrong_address(exporter: ExporterFacts, where: str) -> Verdict | None:
    """Return a problem if SDKs cannot send there or request a path that accepts no spans."""
    if exporter.speaks == HTTP and not exporter.has_scheme:
        return problem(
            f"{where} without a scheme, which SDKs refuse to send to",
            f"export {exporter.variable}=http://{exporter.address}",
        )
    if exporter.status not in _UNANSWERED:
        return None
    observed = f"{where}; SDKs request {exporter.path or 'Export'} there: {_answered(exporter)}"
    if exporter.path.count("/v1/traces") > 1:
        return problem(
            observed,
            "leave /v1/traces out of OTEL_EXPORTER_OTLP_ENDPOINT: SDKs append it (not to "
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, which is the whole address)",
        )
    if exporter.variable == _FOR_TRACES and not exporter.path.endswith("/v1/traces"):
        return problem(
            observed,
            f"let {_FOR_TRACES} end in /v1/traces: it is the whole address, nothing is appended",
        )
    return problem(
        observed,
        "export the port of OTLP/HTTP (4318; 8080 is the page's and the API's) without a path; "
        f"{_FOR_TRACES} must end in /v1/traces",
    )


def _refusal(exporter: ExporterFacts, where: str) -> Verdict | None:
    """Return a problem if a request without spans was refused."""
    status = exporter.status
    refused = f"{where}, which refuses spans: {_answered(exporter)}"
    if status in _UNAUTHORIZED:
        return problem(
            refused,
            "export OTEL_EXPORTER_OTLP_HEADERS='authorization=Bearer%20sl_…' with a key of the "
            "scope ingest (`spanloom keys create`)",
        )
    if status >= _FIRST_SERVER_ERROR or status == _TOO_MANY:
        return warning(refused, "see `spanloom doctor` where the service runs, and its log")
    if status >= _FIRST_ERROR:
        return problem(refused, "export the address that `spanloom serve` prints")
    return None


def _answered(exporter: ExporterFacts) -> str:
    return f"{exporter.status} {exporter.answer}".rstrip()
