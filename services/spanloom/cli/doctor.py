"""``spanloom doctor``: finds problems of a data directory, a service or a ClickHouse server."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from spanloom.cli.client import client_option
from spanloom.cli.options import SettingsCommand
from spanloom.cli.output import Form, document_output
from spanloom.client.errors import ClientError
from spanloom.config.process import NetworkSettings, SqlSettings
from spanloom.config.receiving import ReceivingSettings
from spanloom.config.store import StoreSettings
from spanloom.core.model.diagnosis import Finding, FindingStatus
from spanloom.doctor.check import examine
from spanloom.doctor.checks import CHECKS, SENDING
from spanloom.doctor.facts import ServiceFacts, Unknown
from spanloom.doctor.gather.local import facts_of_sender, facts_of_service, local_facts
from spanloom.logs import configure_logging
from spanloom.process.datadir import DataDir, DirectoryInUseError, look_at_directory, spool_in
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.reports import findings_json, render_findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.client.client import Client
    from spanloom.config.settings import Settings
    from spanloom.doctor.facts import DirectoryFacts, Facts


@click.command(
    "doctor",
    cls=SettingsCommand,
    sections=(StoreSettings, NetworkSettings, SqlSettings, ReceivingSettings),
    examples=(
        "spanloom doctor",
        "spanloom doctor --data-dir ~/traces | jq .status",
        "spanloom doctor --store-url clickhouse://spanloom:secret@db:8123/traces",
        "spanloom doctor --api-url http://traces.internal:8080",
    ),
)
@document_output
@client_option
@click.pass_context
def doctor_command(ctx: click.Context, /, settings: Settings, client: Client, form: Form) -> None:
    """Examine a data directory, the service that uses it, or a ClickHouse server.

    Each check prints what it found and what to do. Ends with 0 if no check finds a problem,
    otherwise with 1. A running service is queried for its own checks, which needs a key with the
    scope admin for all projects (SPANLOOM_API_KEY) if there are keys. Nothing is changed.

    Where OTEL_EXPORTER_OTLP_ENDPOINT is set and no data directory is, as in the shell of an
    agent, only the destination of its spans is examined.
    """
    configure_logging("critical")  # failures that libraries log are in the findings
    findings = _examine_sender(ctx, settings) or _examine_all(ctx, settings, client)
    if form is not Form.TABLE:
        write_json(findings_json(findings), sys.stdout, indent=form is Form.JSON)
    else:
        make_console(sys.stdout).print(render_findings(findings))
    ctx.exit(any(finding.status is FindingStatus.PROBLEM for finding in findings))


def _examine_sender(ctx: click.Context, settings: Settings) -> list[Finding]:
    """Return the findings about sending if this shell only sends spans, otherwise none."""
    is_service_named = ctx.get_parameter_source("api_url") is ParameterSource.COMMANDLINE
    is_place_named = bool({"data_dir", "store_url"} & settings.model_fields_set)
    if is_service_named or is_place_named or look_at_directory(settings.data_dir).exists:
        return []
    facts = facts_of_sender()
    return [] if isinstance(facts.exporter, Unknown) else examine(SENDING, facts)


def _examine_all(ctx: click.Context, settings: Settings, client: Client) -> list[Finding]:
    """Return the findings about data directory, service and store."""
    is_named = ctx.get_parameter_source("api_url") is ParameterSource.COMMANDLINE
    with ExitStack() as stack:
        directory = _own(look_at_directory(settings.data_dir), stack)
        service: ServiceFacts | None = None
        reported: Sequence[Finding] = ()
        if directory.is_used or is_named:
            service, reported = _ask(client, directory)
        own = examine(CHECKS, _facts(settings, directory, service))
    return _merge(own, reported)


def _own(directory: DirectoryFacts, stack: ExitStack) -> DirectoryFacts:
    """Lock the path for the duration of the checks if it is a data directory.

    Return the facts about it, with ``is_used`` set if another process has locked it.
    """
    if directory.format != directory.known_format or not directory.is_writable:
        return directory
    try:
        stack.enter_context(DataDir(directory.path))
    except DirectoryInUseError:
        return directory._replace(is_used=True)
    return directory


def _ask(client: Client, directory: DirectoryFacts) -> tuple[ServiceFacts, Sequence[Finding]]:
    """Return facts and findings of the service.

    No findings if another service owns the directory.
    """
    owner = directory.owner if directory.is_used else ""
    try:
        diagnosis = client.diagnosis()
    except ClientError as error:
        return ServiceFacts(client.url, owner, "", str(error)), ()
    pid = str(diagnosis.pid)
    if owner and pid != owner:
        return ServiceFacts(client.url, owner, "", f"process {pid} answers at {client.url}"), ()
    findings = [Finding(f.name, f.status, f.found, f.todo) for f in diagnosis.findings]
    return ServiceFacts(client.url, pid, diagnosis.version, ""), findings


def _facts(settings: Settings, directory: DirectoryFacts, service: ServiceFacts | None) -> Facts:
    if service and not directory.is_used:
        return facts_of_service(service)
    return local_facts(settings, directory, spool_in(settings.data_dir), service)


def _merge(own: Sequence[Finding], reported: Sequence[Finding]) -> list[Finding]:
    """Return the own findings; skipped findings are replaced by the service's findings."""
    answered = {f.name: f for f in reported if f.status is not FindingStatus.SKIPPED}
    return [
        answered.get(finding.name, finding) if finding.status is FindingStatus.SKIPPED else finding
        for finding in own
    ]
