"""Every captured run through five processes with one ClickHouse server between them.

`keeper`, `collect`, `extract` (two of them) and `api` share nothing but the server. The runs are
right by the same measures as on the embedded store (``test_captures.py``), and the slow test
demands exactly the documents of the embedded store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.ground_truth import all_captures
from tests.support.sent_captures import QUICK, documents_of
from tests.support.server_roles import start_roles

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StartSpanloom, Tell
    from tests.support.served_store import ServedStore

EVERY = 24
"""The normal suite takes one run in 24, because all of them take minutes."""


@pytest.mark.nightly
def test_some_runs_come_out_right(
    start_spanloom: StartSpanloom, ready_server: ServedStore, tell: Tell
) -> None:
    roles = start_roles(start_spanloom, ready_server.url, env=QUICK)
    documents_of(roles.collect, roles.api, all_captures()[::EVERY], tell)
    assert roles.complaints == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_runs_come_out_as_from_the_embedded_store(
    start_spanloom: StartSpanloom, ready_server: ServedStore, tell: Tell, tmp_path: Path
) -> None:
    roles = start_roles(start_spanloom, ready_server.url, env=QUICK)
    embedded = start_spanloom("serve", env=QUICK, data_dir=tmp_path / "embedded")
    captures = all_captures()
    served = documents_of(roles.collect, roles.api, captures, tell)
    assert served == documents_of(embedded, embedded, captures, tell)
    roles.stop()
