"""MLflow's own code loads the files written for it, and its helpers and evaluation accept them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.drafted import planner
from tests.support.exchange_validators import databricks, mlflow_eval
from tests.support.exchange_validators import mlflow as validator
from tests.support.mlflow_traces import MODEL, ROOT, TOOL, VERSIONS

from spanloom.core.exchange.mlflow.reader import TRACES
from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import Located, Reading, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
pytestmark = pytest.mark.engine  # MLflow's modules start programs to learn about the machine


def written(document: Json, name: str = "mlflow") -> bytes:
    body: bytes = formats_of(Of.RUN)[name].load_writer()(
        Stored(json.dumps(document).encode()), Losses()
    )
    return body


def back(body: bytes) -> Json:
    (found,) = TRACES.read([Located("line 1", json.loads(body))], Reading("mlflow"))
    assert isinstance(found, Taken), found
    return found.document


def with_root(**texts: str) -> Json:
    """Return the planner's run with the given texts in its root step."""
    document = planner()
    document["root_step"] |= texts
    document["agent_steps"][0] |= texts
    return document


def test_the_golden_run_has_seven_spans_and_what_mlflow_reads_of_them() -> None:
    trace_utils = validator.import_mlflow("genai.utils.trace_utils")
    body = written(planner())
    validator.check(body)
    failed = json.loads(body)["data"]["spans"][3]
    assert failed["trace_id"] == "CvdlGRbNQ92ESOshHIAxnA=="
    assert (failed["span_id"], failed["parent_span_id"]) == ("oAAAAAAAAAQ=", "oAAAAAAAAAE=")
    assert failed["status"] == {"code": "STATUS_CODE_ERROR", "message": "down"}
    trace = validator.import_mlflow("entities").Trace.from_json(body.decode())
    assert len(trace.data.spans) == 7
    assert [*trace.info.token_usage.values()] == [150, 27, 177]
    assert trace_utils.extract_request_from_trace(trace) == "Oslo or Bergen?"
    assert trace_utils.extract_response_from_trace(trace) == "Oslo."
    called = trace_utils.extract_tools_called_from_trace(trace)
    assert [call.arguments for call in called] == [{"city": "Oslo"}, {"city": "Bergen"}]
    assert called[1].exception == "Exception: down"


@pytest.mark.parametrize("version", VERSIONS)
def test_the_examples_of_every_version_are_mlflows(version: str) -> None:
    trace = validator.import_mlflow("entities").Trace.from_dict(VERSIONS[version]())
    assert [span.span_id for span in trace.data.spans] == [ROOT, TOOL, MODEL]


@pytest.mark.parametrize(
    "text",
    [
        *("", "42", "[1, 2]", "[[1]]", "[]", "null", "true", '"quoted"', " [1]", "{"),
        *('{"a": 1}', '{ "a":  1 }', '[{"a": 1}]', '{"messages": 5}', '{"messages": {"a": 1}}'),
        *('{"messages": ["a"]}', '{"output": [1]}', '{"choices": [1]}', '[null, {"a": 1}]'),
        *('{"choices": [{"message": {"content": null}}]}', "[" * 100 + "]" * 100, "😀"),
        '[{"role": "assistant", "content": "hi"}]',
    ],
)
def test_any_text_of_a_root_is_read_by_mlflow_and_comes_back(text: str) -> None:
    document = with_root(input=text, output=text)
    body = written(document)
    validator.check(body)
    root = back(body)["root_step"]
    assert (root["input"], root["output"]) == (text, text)


@pytest.mark.parametrize("text", ["42", "[1]", '["Oslo"]', '[{"a": 1}]', "", "Oslo", '{"a": [1]}'])
def test_any_arguments_of_a_tool_are_read(text: str) -> None:
    document = planner()
    document["agent_steps"][0]["steps"][1]["input"] = text
    validator.check(written(document))


@pytest.mark.parametrize("text", ["", "42", "Oslo?", '{"question": "Oslo?"}', "[1]", '[{"a": 1}]'])
def test_any_run_is_a_row(text: str) -> None:
    document = with_root(input=text, output=text)
    mlflow_eval.check(written(document, "mlflow-eval"))
    databricks.check(written(document, "databricks"))


@pytest.mark.nightly
def test_mlflow_evaluates_our_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", tmp_path.as_uri())
    genai = validator.import_mlflow("genai")
    validator.import_mlflow("tracking.fluent").set_experiment("rows")

    @genai.scorer  # type: ignore[untyped-decorator]  # its types are not read
    def names_oslo(outputs: str, expectations: Json) -> bool:
        return "Oslo" in outputs and expectations["expected_response"] == "Oslo"

    @genai.scorer  # type: ignore[untyped-decorator]
    def failed_tools(trace: Any) -> int:
        spans = trace.search_spans(span_type="TOOL")
        return sum(1 for span in spans if span.status.status_code == "ERROR")

    document = planner()
    expected = {"expected_response": "Oslo"}
    document["extraction"]["metadata"] = {"expectations": json.dumps(expected)}
    rows = [json.loads(written(document, "mlflow-eval"))]
    found = genai.evaluate(data=rows, scorers=[names_oslo, failed_tools])
    assert found.metrics == {"names_oslo/mean": 1.0, "failed_tools/mean": 1.0}
