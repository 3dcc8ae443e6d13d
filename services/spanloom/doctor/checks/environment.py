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


_HTTP_TO_GRPC = "an exporter over HTTP is told nothing there but bytes that are no HTTP"


def exporter(exporter: ExporterFacts) -> Verdict:
    """Problem if the OTEL_… variables name an address without an answer, or the wrong protocol."""
    where = f"OTEL_EXPORTER_OTLP_ENDPOINT leads to {exporter.address}"
    protocol = exporter.protocol
    if exporter.error:
        return problem(
            f"{where}, where nothing answers: {exporter.error}",
            "start `spanloom serve`, or export the address that it prints",
        )
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
    return ok(f"{where}, which takes {exporter.speaks or 'another protocol'}")
