"""Fixtures for annotators who work through the API over a store in memory."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.annotated_runs import SEED, three_steps
from tests.support.memory_store import MemoryStore

from spanloom.annotation.services import Annotating
from spanloom.api.app import create_app
from spanloom.core.model.annotation import ANNOTATOR_HEADER
from spanloom.core.model.span import TraceKey
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY = TraceKey("default", "4bf92f3577b34da6a3ce929d0e0e4736")
SCHEME = "step_evaluation"
NUMBERS = count()


class Desk:
    """The API over a store in memory with one run of three steps and one annotation scheme."""

    def __init__(self, client: TestClient, store: MemoryStore) -> None:
        self.client = client
        self.store = store
        self.annotating = Annotating.over(store)
        self.steps: Sequence[str] = three_steps(store, KEY)
        self.ask("PUT", f"/v1/schemes/{SCHEME}", json={"text": SEED})

    def ask(self, method: str, path: str, who: str = "ada", status: int = 200, **more: Any) -> Any:
        headers = (
            {ANNOTATOR_HEADER: who, **more.pop("headers", {})} if who else more.pop("headers", {})
        )
        answer = self.client.request(method, path, headers=headers, **more)
        assert answer.status_code == status, answer.text
        return answer if "ndjson" in answer.headers["content-type"] else answer.json()

    def write(
        self, *items: dict[str, Any], who: str = "ada", status: int = 200, **more: Any
    ) -> Any:
        rows = [{"write_id": f"write-{next(NUMBERS):04}", **item} for item in items]
        body = {"scheme": SCHEME, "items": rows, **more}
        path = f"/v1/trajectories/{KEY.trace_id}/annotations"
        return self.ask("POST", path, who, status, json=body)

    def mark(self, place: int, correctness: str, who: str = "ada", **fields: Any) -> Any:
        item = {"step_id": self.steps[place], "correctness": correctness, **fields}
        return self.write(item, who=who)["items"][0]

    def read(self, who: str = "ada", **params: Any) -> Any:
        return self.ask("GET", f"/v1/trajectories/{KEY.trace_id}/annotations", who, params=params)


@pytest.fixture
def desk() -> Iterator[Desk]:
    store = MemoryStore()
    app = create_app(store, Metrics(), Locks().access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield Desk(client, store)
