"""Checks lines of Invariant by its own SDK, by the rules of its page, and by its analyzer.

The analyzer is a program in a separate environment (``pip install invariant-ai``), whose Python is
``SPANLOOM_INVARIANT_AI``.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from invariant_sdk.types.annotations import AnnotationCreate
from invariant_sdk.types.append_messages import AppendMessagesRequest
from invariant_sdk.types.push_traces import PushTracesRequest
from tests.support.assessed import check_messages

ANALYZER = "SPANLOOM_INVARIANT_AI"
_ANALYZE = """
import json, sys
from invariant.analyzer import LocalPolicy
asked = json.load(sys.stdin)
policy = LocalPolicy.from_string(asked["policy"])
print(json.dumps([len(policy.analyze(one).errors) for one in asked["lists"]]))
"""
ANALYZE_S = 120


def check(body: bytes) -> None:
    """Raise if a list of lines, or a file of lines, is not in the format that Invariant reads."""
    lines = lines_of(body)
    for line in lines:
        assert line.keys() == {"index", "messages", "annotations", "metadata"}
        check_messages(line["messages"])
        AppendMessagesRequest(trace_id="any", messages=line["messages"])
    PushTracesRequest(
        messages=[line["messages"] for line in lines],
        annotations=AnnotationCreate.from_nested_dicts([line["annotations"] for line in lines]),
        metadata=[line["metadata"] for line in lines],
        dataset="checked",
    )


def lines_of(body: bytes) -> list[dict[str, Any]]:
    """Return the lines of a response, which is a list, or of a file."""
    if body.startswith(b"["):
        listed: list[dict[str, Any]] = json.loads(body)
        return listed
    return [json.loads(line) for line in body.splitlines()]


def find_analyzer() -> str | None:
    """Return the Python that has Invariant's analyzer."""
    return os.environ.get(ANALYZER)


def analyze(python: str, policy: str, lists: list[list[dict[str, Any]]]) -> list[int]:
    """Return the number of errors that a policy finds in each list of messages."""
    asked = json.dumps({"policy": policy, "lists": lists})
    ended = subprocess.run(
        [python, "-c", _ANALYZE],
        input=asked,
        capture_output=True,
        text=True,
        timeout=ANALYZE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found: list[int] = json.loads(ended.stdout.splitlines()[-1])
    return found
