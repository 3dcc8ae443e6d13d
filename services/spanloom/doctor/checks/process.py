"""Checks of the running process: components, ports, certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.doctor.check import Verdict, ok, problem, span, warning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.doctor.facts import (
        CertificateFacts,
        DescriptorFacts,
        PortFacts,
        ServiceFacts,
    )

FULL_SHARE = 0.9
EXPIRES_SOON_S = 14 * 86_400
_NS = 10**9


def service(service: ServiceFacts) -> Verdict:
    """Problem if it cannot be queried; warning if the process may have another address."""
    todo = (
        "name its address with --api-url, and put a key with the scope admin for all projects "
        "into SPANLOOM_API_KEY; if it hangs, stop it and start it again"
    )
    if service.error and service.pid:
        who = f"process {service.pid} uses the data directory and cannot be queried"
        return warning(f"{who}: {service.error}", todo)
    if service.error:
        return problem(service.error, todo)
    return ok(f"process {service.pid}, Spanloom {service.version}, answers at {service.url}")


def parts(failures: Sequence[str], troubles: Sequence[str]) -> Verdict:
    """Problem if the running process is not ready or degraded; lists the reasons."""
    if not failures and troubles:
        return problem("; ".join(troubles), "see its log; it continues when the cause is gone")
    if not failures:
        return ok("every part works")
    return problem("; ".join(failures), "see its log; start it again when the cause is gone")


def descriptors(descriptors: DescriptorFacts) -> Verdict:
    """Problem from 90 % of the limit of open files and connections; warning if the limit is low."""
    summary = f"{descriptors.used} of {descriptors.limit} files and connections are open"
    todo = f"`ulimit -n {descriptors.enough}` before the start, or LimitNOFILE= of systemd"
    if descriptors.used >= FULL_SHARE * descriptors.limit:
        return problem(summary, todo)
    return warning(summary, todo) if descriptors.limit < descriptors.enough else ok(summary)


def ports(ports: Sequence[PortFacts]) -> Verdict:
    """Problem if a port of the running service does not answer; warning if a port is taken."""
    if silent := [port for port in ports if port.is_ours and not port.answers]:
        return problem(
            ", ".join(f"{port.address} does not answer" for port in silent),
            "start the service again",
        )
    if taken := [port for port in ports if not port.is_ours and port.answers]:
        return warning(
            ", ".join(f"{port.address} is taken by {port.user or 'somebody'}" for port in taken),
            f"stop it, or start with {', '.join(f'{port.flag} 0' for port in taken)}",
        )
    state = "answer" if any(port.is_ours for port in ports) else "are free"
    return ok(f"{', '.join(port.address for port in ports)} {state}")


def certificate(certificate: CertificateFacts, now_ns: int) -> Verdict:
    """Problem if the TLS certificate has expired; warning 14 days before."""
    left_s = (certificate.expires_ns - now_ns) / _NS
    todo = f"write a renewed certificate to {certificate.path}: it is served without a restart"
    if left_s <= 0:
        return problem(f"expired {span(-left_s)} ago", todo)
    summary = f"expires in {span(left_s)}"
    return warning(summary, todo) if left_s < EXPIRES_SOON_S else ok(summary)
