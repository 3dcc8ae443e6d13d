"""A process examines its parts, ports and keys, but no files of its data directory."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NamedTuple

import pytest

from spanloom.config.settings import Settings
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.diagnosis import FindingStatus
from spanloom.process.self_examination import SelfExamination

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanloom.core.model.access import Key

pytestmark = pytest.mark.service

FAILED = "the part 'spool' has failed: disk gone"


class Process(NamedTuple):
    failures: Sequence[str]
    listening: Mapping[str, int]

    def unready(self) -> Sequence[str]:
        return self.failures

    def troubles(self) -> Sequence[str]:
        return ()

    def ports(self) -> Mapping[str, int]:
        return self.listening


def no_keys() -> Sequence[Key]:
    raise StoreUnavailableError("the file of keys does not answer")


def test_failed_parts_silent_ports_and_keys_that_cannot_be_read(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ports = {"api": listening.getsockname()[1]}
        examine = SelfExamination(Settings(data_dir=tmp_path), Process([FAILED], ports), list)
        found = {finding.name: finding for finding in examine()}
    assert found["parts"].status is FindingStatus.PROBLEM
    assert FAILED in found["parts"].found
    assert found["ports"].status is FindingStatus.OK
    assert found["keys"].status is FindingStatus.OK
    for of_files in ("directory", "owner", "disk", "sizes", "spool", "dead-letters", "clock"):
        assert found[of_files].status is FindingStatus.SKIPPED
    assert list(tmp_path.iterdir()) == []
    silent = SelfExamination(Settings(data_dir=tmp_path), Process([], ports), no_keys)
    found = {finding.name: finding for finding in silent()}
    assert found["parts"].status is FindingStatus.OK
    assert found["ports"].status is FindingStatus.PROBLEM
    assert found["keys"].status is FindingStatus.SKIPPED
