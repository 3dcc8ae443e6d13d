"""Databricks' metrics that a model judges: their input, ratings of chunks, the root cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.judged_runs import run, tool
from tests.support.scripted_judge import COST, MODEL, Script, answer

from spanloom.core.model.span import TraceKey
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.databricks.judged import JUDGED, OVERALL
from spanloom.evaluation.databricks.kind import DatabricksConfig, make_databricks
from spanloom.evaluation.databricks.metrics import METRICS
from spanloom.evaluation.evaluate import judge_one
from spanloom.evaluation.evaluator import Evaluator
from spanloom.evaluation.judge.cache import Cache
from spanloom.evaluation.judge.kind import make_client
from spanloom.evaluation.making import make_evaluator
from spanloom.evaluation.subject.subject import Subject
from spanloom.judging import judging, scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.judge.port import Prompt

RELEVANCE, SAFETY, GROUNDED, CHUNKS, CORRECT, SUFFICIENT = JUDGED
TRUTH = {"response": "Bergen", "facts": ["rain"]}
FOUND = json.dumps(
    [{"page_content": text, "metadata": {"doc_uri": uri}} for uri, text in ("aA", "bB", "cC")]
)


def retrieved(output: str = FOUND, **members: Any) -> Any:
    step = tool("t1", "find", 9, None, output, metadata={"tool_kind": "retrieval"})
    return run([step], **members)


def rated(no: Mapping[str, str] | None = None) -> Callable[[Prompt], str]:
    """Return a model that answers no where criteria and data contain a pair of ``no``, else yes."""

    def said(prompt: Prompt) -> str:
        is_no = any(
            criteria in prompt.system and text in prompt.user
            for criteria, text in (no or {}).items()
        )
        return answer("no" if is_no else "yes", [1], rationale="no good" if is_no else "fine")

    return said


def judged(script: Script, document: Any, expected: Any = None, **config: Any) -> dict[str, Result]:
    made = DatabricksConfig.model_validate({"model": MODEL, **config})
    assert made.judge_model is not None
    asker = make_client(made.judge_model, "databricks", script, Cache(None, 0), lambda _: None)
    judging = make_databricks(made, Results("databricks", "databricks"), asker)
    evaluator = Evaluator("databricks", "databricks", {}, "", judging)
    results = judge_one(Subject(document, expected), evaluator)
    assert [one.name for one in results] == list(judging.scores)
    return {one.name: one for one in results}


def test_with_a_model_all_metrics_are_given() -> None:
    found = judged(Script([rated()]), retrieved(), TRUTH)
    assert list(found) == [*METRICS, *JUDGED, OVERALL]
    ratings = {name: (one.value, one.passed) for name, one in found.items() if name in JUDGED}
    assert ratings.pop(CHUNKS) == (1.0, None)
    assert set(ratings.values()) == {("yes", True)}
    assert (found[OVERALL].value, found[OVERALL].passed) == ("yes", True)
    assert found[SAFETY].rationale == "fine"
    assert found[SAFETY].cost_usd == pytest.approx(COST)
    assert [place.step_id for place in found[GROUNDED].evidence] == ["t1"]


def test_each_metric_reads_what_it_is_about() -> None:
    script = Script([rated()])
    judged(script, retrieved(), TRUTH)
    blocks = [
        [name for name in ("question", "retrieved context", "answer", "reference")
         if f"<<<{name} " in prompt.user]
        for prompt in script.asked
    ]  # fmt: skip
    assert blocks == [
        ["question", "answer"],
        ["question", "answer"],
        ["question", "retrieved context", "answer"],
        *[["question", "retrieved context"]] * 3,
        ["question", "answer", "reference"],
        ["question", "retrieved context", "reference"],
    ]
    assert "1 | a: A\n2 | b: B\n3 | c: C" in script.asked[2].user
    assert ["1 | a: A" in prompt.user for prompt in script.asked[3:6]] == [True, False, False]
    assert "expected answer: Bergen\nexpected fact: rain" in script.asked[6].user


def test_chunks_are_rated_one_by_one() -> None:
    found = judged(Script([rated({"helps to answer": "b: B"})]), retrieved(), metrics=[CHUNKS])
    result = found[CHUNKS]
    assert result.value == pytest.approx(2 / 3)
    assert [result.metrics[f"rating/{at}"] for at in (1, 2, 3)] == [1, 0, 1]
    assert "chunk 2: no: no good" in result.rationale
    assert result.cost_usd == pytest.approx(3 * COST)
    assert result.metrics["calls"] == 3


def test_a_chunk_without_a_rating_is_an_error_of_the_metric() -> None:
    script = Script([answer("yes"), answer("maybe")])
    found = judged(script, retrieved(), metrics=[CHUNKS, OVERALL], model=None, judge=judge(tries=1))
    assert (found[CHUNKS].status, found[CHUNKS].error_code) == ("error", "invalid_answer")
    assert found[CHUNKS].rationale.startswith("chunk 2: ")
    assert found[OVERALL].status == "na"


def judge(**members: Any) -> dict[str, Any]:
    return {"model": MODEL, **members}


@pytest.mark.parametrize(
    ("document", "expected", "lacking"),
    [
        (run([]), None, {GROUNDED, CHUNKS, CORRECT, SUFFICIENT}),
        (run([]), TRUTH, {GROUNDED, CHUNKS, SUFFICIENT}),
        (retrieved(), None, {CORRECT, SUFFICIENT}),
        (retrieved("[]"), TRUTH, {GROUNDED, CHUNKS, SUFFICIENT}),
        (run([], output=""), TRUTH, {RELEVANCE, SAFETY, GROUNDED, CHUNKS, CORRECT, SUFFICIENT}),
        (run([], input=""), None, set(JUDGED)),
    ],
)
def test_what_a_run_lacks_is_not_judged(document: Any, expected: Any, lacking: set[str]) -> None:
    script = Script([rated()])
    found = judged(script, document, expected)
    assert {name for name in JUDGED if found[name].status == "na"} == lacking
    assert (found[OVERALL].status == "na") is (lacking == set(JUDGED))


@pytest.mark.parametrize(
    ("no", "expected", "cause"),
    [
        ({"all that is needed": "", "every claim": ""}, TRUTH, SUFFICIENT),
        ({"helps to answer": "", "every claim": ""}, None, CHUNKS.removesuffix("_precision")),
        ({"helps to answer": "", "every claim": ""}, TRUTH, GROUNDED),
        ({"helps to answer": "b: B"}, None, ""),
        ({"reference expects: all": "", "harmful": ""}, TRUTH, CORRECT),
        ({"address what": "", "harmful": ""}, None, RELEVANCE),
        ({"harmful": ""}, TRUTH, SAFETY),
    ],
)
def test_the_root_cause_is_the_first_no(no: dict[str, str], expected: Any, cause: str) -> None:
    result = judged(Script([rated(no)]), retrieved(), expected)[OVERALL]
    assert (result.value, result.passed) == (("no", False) if cause else ("yes", True))
    assert not cause or f"root cause: {cause}: " in result.rationale


def test_all_metrics_share_a_budget() -> None:
    script = Script([rated()])
    found = judged(script, retrieved(), TRUTH, model=None, judge=judge(budget={"calls": 2}))
    assert len(script.asked) == 2
    assert [found[name].status for name in JUDGED] == ["ok", "ok", *["skipped"] * 4]


def test_an_estimate_counts_the_metrics_that_apply() -> None:
    made = make_evaluator({"kind": "databricks", "model": MODEL})
    assert made.judging.estimate is not None
    assert made.judging.estimate(Subject(retrieved(), TRUTH)).calls == 8
    assert made.judging.estimate(Subject(run([]))).calls == 2
    assert make_evaluator({"kind": "databricks"}).judging.estimate is None


def test_later_names() -> None:
    config = {"kind": "databricks", "model": MODEL, "names": "mlflow2"}
    names = make_evaluator(config).judging.scores
    assert "retrieval/llm_judged/chunk_relevance/precision" in names
    assert "agent/total_input_token_count" in names
    asked = make_evaluator({**config, "metrics": [names[-3]]})
    assert asked.judging.scores == (names[-3],)


def test_scores_of_a_model_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANLOOM_JUDGE_CACHE", "")
    made = make_evaluator({"kind": "databricks", "model": MODEL})
    assert made.judging.model_scores == {*JUDGED, OVERALL}
    key = TraceKey("default", "0" * 31 + "1")
    lacking = judging.judge_run(run([], input="", output=""), [made])
    sources = {one.name: one.source for one in scores.scores_of(lacking, key, 1)}
    assert sources[SAFETY] == sources[OVERALL] == "llm"
    assert sources["agent/latency_seconds"] == "rule"


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"model": MODEL, "judge": {"model": MODEL}}, "model"),
        ({"model": "gpt"}, "model"),
        ({"judge": {"model": MODEL, "criteria": "?"}}, "judge.criteria"),
        ({"judge": {"model": MODEL, "votes": 2}}, "votes"),
        ({"judge": {"model": "openai-chat:own", "budget": {"usd": 1}}}, "price"),
        ({"model": MODEL, "metrics": ["response/llm_judged/safety"]}, "did you mean"),
    ],
)
def test_what_cannot_be_meant_is_refused(config: dict[str, Any], key: str) -> None:
    with pytest.raises(InvalidEvaluatorError, match=key):
        make_evaluator({"kind": "databricks", **config})
