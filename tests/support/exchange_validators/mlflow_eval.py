"""Validates a row of an evaluation set with MLflow: ``mlflow.genai.evaluate`` accepts it."""

from __future__ import annotations

import json

import pytest
from tests.support.exchange_validators import mlflow as of_traces


def check(body: bytes) -> None:
    """Raise if MLflow does not convert a row into an item of its evaluation."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    entities = of_traces.import_mlflow("genai.evaluation.entities")
    utils = of_traces.import_mlflow("genai.evaluation.utils")
    row = json.loads(body)
    assert isinstance(row["inputs"], dict)
    of_traces.check(row["trace"].encode())
    converted = utils._convert_to_eval_set([row])
    item = entities.EvalItem.from_dataset_row(converted.iloc[0].to_dict())
    assert item.trace is not None
    assert item.inputs == row["inputs"]
    assert item.outputs == row["outputs"]
