"""Joins logs of single runs into one log with the first log's head and all samples."""

from __future__ import annotations

import orjson

from spanloom.core.formats.json_bytes import dump

_BEGIN = ("version", "status", "eval", "plan")
_SAMPLES = b',"samples":['
_NOTHING = {"created": "1970-01-01T00:00:00+00:00", "task": "runs", "model": "none/none"}


def add_to_log(body: bytes, items: int) -> tuple[bytes, int]:
    """Return the bytes to append for one run's log, and the number of samples afterwards."""
    log = orjson.loads(body)
    samples = b",".join(dump(sample) for sample in log["samples"])
    begin = b"," if items else _begin(log)
    return begin + samples, items + len(log["samples"])


def _begin(log: dict[str, dict[str, object]]) -> bytes:
    about = {name: log[name] for name in _BEGIN}
    about["eval"] = {**log["eval"], "dataset": {"name": log["eval"].get("task")}}
    return dump(about)[:-1] + _SAMPLES


def end_of_log(items: int) -> bytes:
    """Return the end of a log with ``items`` samples; for 0, a whole log without samples."""
    results = {"total_samples": items, "completed_samples": items, "scores": []}
    if items:
        return b"]," + dump({"results": results, "stats": {}})[1:] + b"\n"
    about = {"version": 2, "status": "success", "eval": {**_NOTHING, "dataset": {}, "config": {}}}
    return dump({**about, "plan": {}, "samples": [], "results": results, "stats": {}}) + b"\n"
