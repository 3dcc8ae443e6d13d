"""Checks at thresholds that no test can reach in time on a real store, disk or clock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanloom.core.model.access import Key, Scope
from spanloom.core.model.diagnosis import (
    AppliedFile,
    FailedTrace,
    FindingStatus,
    Mutation,
    StoreState,
    UnpricedModel,
)
from spanloom.core.model.upkeep import Older
from spanloom.doctor.checks import directory, process, store
from spanloom.doctor.checks import directory as spool
from spanloom.doctor.checks import environment as sending
from spanloom.doctor.checks import environment as software
from spanloom.doctor.checks import store as keys
from spanloom.doctor.facts import (
    CertificateFacts,
    DescriptorFacts,
    DirectoryFacts,
    DiskFacts,
    ExporterFacts,
    ExposureFacts,
    PortFacts,
    ServiceFacts,
    SoftwareFacts,
    SpoolFacts,
)

if TYPE_CHECKING:
    from spanloom.doctor.check import Verdict

OK, WARNING, PROBLEM = FindingStatus.OK, FindingStatus.WARNING, FindingStatus.PROBLEM
GIB = 1 << 30
DAY_NS = 86_400 * 10**9
NOW_NS = 1_000 * DAY_NS
DIRECTORY = DirectoryFacts(
    path=Path("/data"),
    exists=True,
    is_empty=False,
    format=1,
    known_format=1,
    is_writable=True,
    owner="17",
    is_used=True,
    was_killed=False,
)
SPOOL = SpoolFacts(0, 0, 0, 0, 8 * GIB, (), ())
FILE = AppliedFile("0001_spans.sql", "abc")
STORE = StoreState(
    "26.9", NOW_NS, "spanloom migrate", {1: FILE}, {1: FILE}, False, False, 0, (), (), 0, ()
)
KEY = Key("0f3a9c5b7d21", "d", "p", frozenset({Scope.READ}), NOW_NS - 40 * DAY_NS, used_ns=NOW_NS)


def check(verdict: Verdict, status: FindingStatus, *words: str) -> None:
    assert verdict.status is status, verdict
    assert bool(verdict.todo) is (status in (WARNING, PROBLEM))
    for word in words:
        assert word in verdict.found + verdict.todo


def test_packages() -> None:
    check(software.packages(SoftwareFacts("1", "3.11", 9, ())), OK, "9")
    check(software.packages(SoftwareFacts("1", "3.11", 9, ["x is 1"])), PROBLEM, "x is 1", "pip")


def test_directory_formats_and_rights() -> None:
    check(directory.directory(DIRECTORY), OK)
    check(directory.directory(DIRECTORY._replace(format=2)), PROBLEM, "upgrade")
    check(directory.directory(DIRECTORY._replace(is_writable=False)), PROBLEM, "chown")


@pytest.mark.parametrize(
    ("free", "total", "status"),
    [
        (20 * GIB, 100 * GIB, OK),
        (7 * GIB, 100 * GIB, WARNING),
        (4 * GIB, 100 * GIB, PROBLEM),
        (1 * GIB, 10 * GIB, PROBLEM),
    ],
)
def test_disk(free: int, total: int, status: FindingStatus) -> None:
    check(directory.disk(DiskFacts(free, total, 0, {}), SPOOL), status, "GiB")


def test_descriptors() -> None:
    check(process.descriptors(DescriptorFacts(20_000, 200, 1024)), OK, "200 of 20000")
    check(process.descriptors(DescriptorFacts(512, 200, 1024)), WARNING, "ulimit -n 1024")
    check(process.descriptors(DescriptorFacts(2_000, 1_900, 1024)), PROBLEM, "1900")


def test_a_disk_below_the_own_bar_says_that_requests_are_refused() -> None:
    facts = DiskFacts(90 * GIB, 900 * GIB, 100 * GIB, {})
    check(directory.disk(facts, SPOOL), PROBLEM, "refused below 100", "--min-free-bytes")


def test_spool() -> None:
    waiting = SPOOL._replace(records=2, bytes=100, oldest_ns=NOW_NS - 10**9)
    check(spool.spool(waiting, DIRECTORY, NOW_NS), OK, "2 requests", "1.0 s")
    old = waiting._replace(oldest_ns=NOW_NS - 600 * 10**9)
    check(spool.spool(old, DIRECTORY, NOW_NS), WARNING, "10.0 min")
    check(spool.spool(waiting._replace(bytes=8 * GIB), DIRECTORY, NOW_NS), PROBLEM, "8.0 GiB")


def test_clock() -> None:
    for ahead_s, status in ((0, OK), (10, WARNING), (3_600, PROBLEM)):
        seq = NOW_NS // 1_000 + ahead_s * 1_000_000
        check(spool.clock(SPOOL._replace(last_seq=seq), NOW_NS), status)


def test_service_that_cannot_be_asked() -> None:
    check(process.service(ServiceFacts("http://x", "17", "1", "")), OK, "17", "http://x")
    check(process.service(ServiceFacts("http://x", "17", "", "no")), WARNING, "--api-url")
    check(process.service(ServiceFacts("http://x", "", "", "no")), PROBLEM)


def test_parts_and_ports_of_a_running_process() -> None:
    check(process.parts([], []), OK)
    check(process.parts(["the part 'spool' has failed: x"], []), PROBLEM, "spool")
    check(
        process.parts([], ["the store has accepted no batch"]), PROBLEM, "accepted no batch", "log"
    )
    port = PortFacts("--api-port", "127.0.0.1:8080", is_ours=True, answers=True, user="")
    check(process.ports([port]), OK, "answer")
    check(process.ports([port, port._replace(answers=False)]), PROBLEM, "8080 does not answer")


def test_certificate() -> None:
    for days, status in ((100, OK), (3, WARNING), (-1, PROBLEM)):
        facts = CertificateFacts(Path("/cert.pem"), NOW_NS + days * DAY_NS)
        check(process.certificate(facts, NOW_NS), status, *(["/cert.pem"] if days < 14 else []))


def test_keys() -> None:
    loopback = ExposureFacts("127.0.0.1", is_loopback=True, is_insecure=False)
    everywhere = ExposureFacts("0.0.0.0", is_loopback=False, is_insecure=False)  # noqa: S104  # facts
    check(keys.keys([], loopback, NOW_NS), OK)
    check(keys.keys([], everywhere, NOW_NS), PROBLEM, "spanloom keys create")
    check(keys.keys([], everywhere._replace(is_insecure=True), NOW_NS), WARNING)
    check(keys.keys([KEY], everywhere, NOW_NS), OK, "1 usable key")
    check(keys.keys([replace(KEY, revoked_ns=1)], everywhere, NOW_NS), WARNING)


def test_keys_that_expire_or_lie_unused() -> None:
    check(keys.expiring_keys([KEY], NOW_NS), OK)
    for days in (-1, 3):
        due = replace(KEY, expires_ns=NOW_NS + days * DAY_NS)
        check(keys.expiring_keys([due], NOW_NS), WARNING, f"spanloom keys revoke {KEY.id}")
    check(keys.unused_keys([KEY], NOW_NS), OK)
    check(keys.unused_keys([replace(KEY, used_ns=0)], NOW_NS), WARNING, KEY.id)


def test_schema() -> None:
    check(store.schema(STORE), OK, "1")
    newer = replace(STORE, applied={1: FILE, 9: AppliedFile("0009_x.sql", "")})
    check(store.schema(newer), PROBLEM, "0009_x.sql", "upgrade")
    check(store.schema(replace(STORE, applied={1: AppliedFile(FILE.name, "x")})), PROBLEM)
    check(store.schema(replace(STORE, applied={})), WARNING, "spanloom migrate")
    begun = replace(STORE, applied={1: AppliedFile(FILE.name, "")})
    check(store.schema(begun), WARNING, "spanloom migrate")
    check(store.schema(replace(STORE, is_before_baseline=True)), PROBLEM, "export", "import")
    check(store.schema(replace(STORE, upgrade=Older(9, ""))), OK, "older releases may still run")
    upgraded = replace(STORE, upgrade=Older(7_200, "an INSERT into scores"))
    check(store.schema(upgraded), OK, "an INSERT into scores 2.0 h ago")


def test_clock_of_the_store() -> None:
    for skew_s, status in ((0, OK), (-10, WARNING), (10, WARNING), (3_600, PROBLEM)):
        skewed = replace(STORE, clock_ns=NOW_NS + skew_s * 10**9)
        check(store.store_clock(skewed, NOW_NS), status)


def test_hosts_that_cannot_be_used() -> None:
    check(store.hosts(STORE), OK)
    check(store.hosts(replace(STORE, refused_hosts=["b:8123 is full"])), WARNING, "b:8123 is full")


def test_changes_under_way() -> None:
    check(store.mutations(STORE), OK)
    check(store.mutations(replace(STORE, mutations=[Mutation("steps", 7_200, "")])), WARNING, "2.0")
    failing = replace(STORE, mutations=[Mutation("steps", 1, "no space")])
    check(store.mutations(failing), PROBLEM, "no space")


def test_deletions() -> None:
    check(store.deletions(STORE), OK)
    check(store.deletions(replace(STORE, deleted_rows=7)), WARNING, "7 rows", "keeper")


def test_workers() -> None:
    check(store.workers(STORE), FindingStatus.SKIPPED, "embedded")
    server = replace(STORE, is_embedded=False, living={"collect": 2, "extract": 4, "keeper": 1})
    check(store.workers(server), OK, "2 collect, 4 extract, 1 keeper")
    check(store.workers(replace(server, living={"keeper": 1})), WARNING, "collect, extract")
    check(store.workers(replace(server, living={})), WARNING, "nobody")
    check(store.workers(replace(server, living=None)), FindingStatus.SKIPPED, "another version")


def test_quarantine() -> None:
    check(store.quarantine(STORE), OK)
    failed = FailedTrace("p", "a" * 32, 3, "boom")
    check(store.quarantine(replace(STORE, quarantined=[failed])), WARNING, "boom", "a" * 32)


def test_models_without_a_price_are_named_with_their_calls() -> None:
    check(store.prices(STORE), OK)
    unpriced = [UnpricedModel("qwen-max", 12, 3), UnpricedModel("", 1, 1)]
    found = replace(STORE, unpriced=unpriced)
    check(
        store.prices(found), WARNING, "qwen-max (12 calls in 3 runs)", "(no name) (1 call in 1 run)"
    )
    many = replace(STORE, unpriced=[UnpricedModel(f"m{n}", 1, 1) for n in range(100)])
    check(store.prices(many), WARNING, "m9 (", "at least 90 more")


def test_what_the_account_may_not_see_is_skipped() -> None:
    hidden = replace(
        STORE,
        deleted_rows=None,
        detached=None,
        mutations=None,
        quarantined=None,
        unpriced=None,
        parts_bytes=None,
    )
    assert store.store(hidden).status is OK
    for judge in (
        store.detached_parts,
        store.mutations,
        store.deletions,
        store.quarantine,
        store.prices,
    ):
        assert judge(hidden).status is FindingStatus.SKIPPED


@pytest.mark.parametrize(
    ("protocol", "speaks", "status"),
    [
        ("grpc", "gRPC", OK),
        ("http/protobuf", "HTTP", OK),
        ("", "HTTP", OK),
        ("http/json", "gRPC", PROBLEM),
        ("grpc", "HTTP", PROBLEM),
        ("", "gRPC", WARNING),
    ],
)
def test_exporters_that_speak_what_is_not_spoken(
    protocol: str, speaks: str, status: FindingStatus
) -> None:
    check(sending.exporter(ExporterFacts("db:4317", protocol, speaks, "")), status, "db:4317")


def test_exporters_that_send_nowhere() -> None:
    facts = ExporterFacts("db:4317", "", "", "Connection refused")
    check(sending.exporter(facts), PROBLEM, "nothing answers: Connection refused", "spanloom serve")


@pytest.mark.parametrize(
    ("path", "status", "verdict", "todo"),
    [
        ("/v1/traces", 200, OK, ""),
        ("/v1/traces", 401, PROBLEM, "OTEL_EXPORTER_OTLP_HEADERS"),
        ("/v1/traces", 404, PROBLEM, "4318"),
        ("/v1/traces", 405, PROBLEM, "4318"),
        ("/v1/traces/v1/traces", 404, PROBLEM, "leave /v1/traces out"),
        ("/v1/traces", 421, PROBLEM, "spanloom serve"),
        ("/v1/traces", 429, WARNING, "doctor"),
        ("/v1/traces", 503, WARNING, "doctor"),
    ],
)
def test_exporters_whose_requests_are_refused(
    path: str, status: int, verdict: FindingStatus, todo: str
) -> None:
    facts = ExporterFacts("db:80", "", "HTTP", "", path=path, status=status, answer="Why.")
    check(sending.exporter(facts), verdict, *([todo, f"{status} Why."] if todo else ["db:80"]))


def test_exporters_that_are_switched_off_or_have_the_other_scheme() -> None:
    facts = ExporterFacts("db:4318", "", "HTTP", "")
    check(sending.exporter(facts._replace(is_disabled=True)), PROBLEM, "OTEL_SDK_DISABLED")
    silent = facts._replace(speaks="")
    check(sending.exporter(silent), WARNING, "neither HTTP nor gRPC")
    check(sending.exporter(silent._replace(scheme="http")), PROBLEM, "no TLS", "=http://db:4318")
    check(sending.exporter(silent._replace(scheme="https")), PROBLEM, "TLS", "=https://db:4318")


def test_the_variable_that_names_the_address_is_reported() -> None:
    variable = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    facts = ExporterFacts("db:4318", "", "HTTP", "", path="/", status=404, variable=variable)
    check(sending.exporter(facts), PROBLEM, f"{variable} leads", f"let {variable} end in")


def test_exporters_without_a_scheme() -> None:
    facts = ExporterFacts("db:4318", "", "HTTP", "", has_scheme=False)
    check(sending.exporter(facts), PROBLEM, "scheme", "=http://db:4318")
    assert sending.exporter(facts._replace(protocol="grpc", speaks="gRPC")).status is OK
