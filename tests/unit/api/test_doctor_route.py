"""The doctor's findings about the process, returned to administrators of all projects alone."""

from __future__ import annotations

import os

from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.core.model.access import ALL_PROJECTS, Scope
from spanloom.core.model.diagnosis import Finding, FindingStatus
from spanloom.metrics import Metrics

FOUND = Finding("disk", FindingStatus.PROBLEM, "1.0 GiB of 99.0 GiB free", "make room")


def test_findings_are_passed_on_to_administrators_of_all_projects_alone() -> None:
    locks = Locks()
    process = ServingProcess(examine=lambda: [FOUND])
    app = create_app(MemoryStore(), Metrics(), locks.access, process)
    client = TestClient(app, base_url="http://127.0.0.1")
    statuses = {}
    for project in (ALL_PROJECTS, "p"):
        for scope in Scope:
            key = {"Authorization": f"Bearer {locks.make(project, scope)}"}
            answer = client.get("/v1/doctor", headers=key)
            statuses[project, scope] = answer.status_code
            assert ("make room" in answer.text) == (answer.status_code == 200)
            if answer.status_code == 200:
                told = answer.json()
    assert [who for who, status in statuses.items() if status == 200] == [
        (ALL_PROJECTS, Scope.ADMIN)
    ]
    assert told["pid"] == os.getpid()
    assert told["findings"] == [
        {
            "name": "disk",
            "status": "problem",
            "found": "1.0 GiB of 99.0 GiB free",
            "todo": "make room",
        }
    ]
