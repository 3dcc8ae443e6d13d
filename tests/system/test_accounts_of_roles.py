"""Each role works with an account that has exactly the documented rights."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.configured_server import Account, configured_server
from tests.support.ledger import as_protobuf, make_requests

from spanloom.storage.engine.rights import RIGHTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

pytestmark = pytest.mark.service

SHOWN_S = 60.0


@pytest.mark.nightly
def test_a_run_goes_through_roles_with_their_own_accounts(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    accounts = {
        role: Account(tuple(f"GRANT {r.privilege} ON spanloom.{r.table}" for r in rights))
        for role, rights in RIGHTS.items()
    }
    keeper = (*accounts["keeper"].grants, "GRANT TABLE ENGINE ON *")
    accounts["keeper"] = Account(keeper)
    with configured_server(tmp_path / "server", accounts) as server:
        parts = [start(start_spanloom, role, server.url(role)) for role in ("keeper", "collect")]
        parts += [start(start_spanloom, role, server.url(role)) for role in ("extract", "api")]
        request = next(make_requests("accounts"))
        url = f"{parts[1].addresses['otlp_http']}/v1/traces"
        body = as_protobuf(request).SerializeToString()
        headers = {"content-type": "application/x-protobuf"}
        httpx.post(url, content=body, headers=headers, timeout=20).raise_for_status()
        await_run(parts, request[0].trace_id)
        for part in reversed(parts):
            assert part.stop() == 0, part.log
            assert "lacks a right" not in part.log


def start(start_spanloom: StartSpanloom, role: str, url: str) -> RunningSpanloom:
    part = start_spanloom(role, f"--store-url={url}")
    part.wait_until_ready()
    return part


def await_run(parts: Sequence[RunningSpanloom], trace_id: str) -> None:
    until = time.monotonic() + SHOWN_S
    url = f"{parts[3].api}/v1/trajectories/{trace_id}"
    while httpx.get(url, timeout=20).status_code != httpx.codes.OK:
        assert time.monotonic() < until, [part.log for part in parts]
        time.sleep(0.2)
