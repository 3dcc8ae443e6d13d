"""New weights of a scheme change its existing scores, as API lists and filters show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.annotated_runs import SEED, three_steps

from spanloom.api.app import create_app
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import ANNOTATOR_HEADER
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import AnnotationQuery, ScoreQuery
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.score import Score
    from spanloom.core.ports.store import Store

SCHEME = "step_evaluation"
HEAVIER = SEED.replace("weight: -5", "weight: -7.5")
JUDGE = "lead (adjudication)"


class Door:
    """An API client for annotators in one project."""

    def __init__(self, client: TestClient, project: str) -> None:
        self.client = client
        self.project = project

    def ask(self, method: str, path: str, who: str = "ada", **more: Any) -> Any:
        params = {"project": self.project, **more.pop("params", {})}
        headers = {ANNOTATOR_HEADER: who}
        answer = self.client.request(method, path, headers=headers, params=params, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def put(self, text: str) -> None:
        self.ask("PUT", f"/v1/schemes/{SCHEME}", json={"text": text})

    def mark(self, key: TraceKey, step_id: str, who: str, **more: Any) -> None:
        item = {"write_id": f"w-{who[:4]}-{step_id}", "step_id": step_id, "correctness": "correct"}
        origin = more.pop("origin", "human")
        body = {"scheme": SCHEME, "items": [{**item, **more}], "origin": origin}
        self.ask("POST", f"/v1/trajectories/{key.trace_id}/annotations", who, json=body)

    def scores(self) -> dict[tuple[str, str], float]:
        asked = {"target": "trajectory", "name": SCHEME}
        items = self.ask("GET", "/v1/scores", params=asked)["items"]
        return {(item["trace_id"][:1], item["author"]): item["value"] for item in items}

    def found(self, where: str) -> set[str]:
        items = self.ask("GET", "/v1/trajectories", params={"where": where})["items"]
        return {item["trace_id"][:1] for item in items}


def stored(store: Store, project: str) -> Sequence[Score]:
    return store.scores.list(Reach.only(project), ScoreQuery(), 100)


def annotate(door: Door, store: Store, keys: Sequence[TraceKey]) -> None:
    """Annotate runs as two annotators and an adjudicator."""
    for key in keys:
        steps = three_steps(store, key)
        door.mark(key, steps[0], "ada", correctness="incorrect", severity="major")
        door.mark(key, steps[0], "bo", correctness="incorrect", severity="minor")
        door.mark(key, steps[1], "bo")
        wrong = {"correctness": "incorrect", "severity": "major"}
        door.mark(key, steps[0], JUDGE, origin="adjudication", **wrong)


def test_scores_follow_new_weights(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, digit * 32) for digit in "12"]
    with TestClient(create_app(store, Metrics(), Locks().access)) as client:
        client.base_url = "http://127.0.0.1:8080"
        door = Door(client, key.project)
        door.put(SEED)
        annotate(door, store, keys)
        before = stored(store, key.project)
        said = store.annotations.list(Reach.only(key.project), AnnotationQuery(), 100)
        door.put(HEAVIER)
        numbers = {"ada": 92.5, "bo": 99, JUDGE: 92.5}
        assert door.scores() == {(d, who): n for d in "12" for who, n in numbers.items()}
        assert door.found(f"score.{SCHEME} = 92.5") == {"1", "2"}
        assert door.found(f"score.{SCHEME} = 95") == set()
        after = stored(store, key.project)
        assert [score.id for score in after] == [score.id for score in before]
        assert {s.author for s in set(after) - set(before)} == {"ada", JUDGE}  # bo's is unchanged
        door.put(HEAVIER)
        door.put(HEAVIER.replace("Evaluate each agent step", "In other words"))
        assert stored(store, key.project) == after
        assert store.annotations.list(Reach.only(key.project), AnnotationQuery(), 100) == said
        door.put(SEED.replace("max_score: 100", "max_score: 3"))
        assert set(door.scores().values()) == {0, 2}
