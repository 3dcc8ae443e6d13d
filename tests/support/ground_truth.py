"""The ground truth of the captured runs, and measures of a trajectory against it.

A measure is a pure function of the truth and the API's response; it returns the faults, so an empty
list is a pass. ``tests/fixtures/README.md`` describes the source of the truth.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.support.truth_texts import check_answers, check_ends, check_tools, check_words
from tests.support.unreported import is_unreported

from spanloom.collector.doors.cozeloop import decode_ingest
from spanloom.collector.doors.langfuse.events import read_batch
from spanloom.collector.doors.langfuse.fields import span_id_of, trace_id_of
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.doors.langfuse.spans import encode_observations
from spanloom.collector.intake.limits import Limits
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

CAPTURES = Path(__file__).parent.parent / "fixtures" / "captures"
SEVERAL = ("pair-", "triple-", "mixed-")
"""Prefixes of folders with runs that several instrumentations report."""
DATA_TOOLS = frozenset({"retrieval", "embedding", "reranking"})
"""Tool kinds that the truth does not distinguish: it has ``other`` for these spans."""

OTLP = "/v1/traces"
COZELOOP = "/v1/loop/traces/ingest"
LANGFUSE = "/api/public/ingestion"
JSON_DOORS = {COZELOOP: "ingest.json", LANGFUSE: "ingestion.json"}
"""Endpoints with a JSON format of their own, and the files with the posted bodies."""

Json = dict[str, Any]  # documents as in API responses


def merged(bodies: Iterable[bytes]) -> bytes:
    """Return the spans of whole runs posted to Langfuse's ingestion API, as one request."""
    observations = Observations(Path(":memory:"), Metrics())
    changes = [c for body in bodies for c in read_batch(body, Limits()).changes]
    request = encode_observations(observations.read("", observations.merge("", changes).spans))
    observations.close()
    return request


def with_otlp_ids(truth: Json) -> Json:
    """Return a ground truth with Langfuse's ids replaced by the ids of the resulting spans."""
    text = json.dumps(truth)
    for known in truth["spans"]:
        text = text.replace(f'"{known}"', f'"{span_id_of(known).hex()}"')
    for known in truth["trace_ids"]:
        text = text.replace(f'"{known}"', f'"{trace_id_of(known).hex()}"')
    renamed: Json = json.loads(text)
    return renamed


@dataclass(frozen=True)
class Capture:
    """One recorded run of one scenario in one dialect."""

    dialect: str
    scenario: str

    @property
    def id(self) -> str:
        return f"{self.dialect}/{self.scenario}"

    def _path(self, suffix: str) -> Path:
        return CAPTURES / self.dialect / f"{self.scenario}.{suffix}"

    @cached_property
    def truth(self) -> Json:
        truth: Json = json.loads(self._path("expect.json").read_text())
        return with_otlp_ids(truth) if self._door == LANGFUSE else truth

    @property
    def over_grpc(self) -> bool:
        return bool(self.truth["wire"] == "gRPC")

    @property
    def _door(self) -> str:
        return next((door for door, end in JSON_DOORS.items() if self._path(end).exists()), OTLP)

    def posts(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield the path, the content type and the body of each HTTP request of the SDK."""
        if self._door == OTLP:
            for body in self.requests():
                yield OTLP, "application/x-protobuf", body
        else:
            for said in json.loads(self._path(JSON_DOORS[self._door]).read_text()):
                yield self._door, "application/json", json.dumps(said, ensure_ascii=False).encode()

    def requests(self) -> Iterator[bytes]:
        """Yield the export requests as the SDK sent them, or as the receiver converts them."""
        if self._door == COZELOOP:
            for _, _, body in self.posts():
                yield decode_ingest(body, Limits()).body
            return
        if self._door == LANGFUSE:
            yield merged([body for _, _, body in self.posts()])
            return
        data, start = self._sent(), 0
        for size in self.truth["request_sizes"]:
            yield data[start : start + size]
            start += size

    def _sent(self) -> bytes:
        path = self._path("binpb")
        return path.read_bytes() if path.exists() else gzip.decompress(_packed(path))

    def logs(self) -> bytes:
        path = self._path("logs.binpb")
        return path.read_bytes() if path.exists() else b""

    @property
    def spans_by_trace(self) -> Mapping[str, int]:
        return Counter(span["trace_id"] for span in self.truth["spans"].values())

    def runs(self, kind: str) -> list[set[str]]:
        """Return the true runs of a kind, each as the ids of the spans that report it."""
        spans: Json = self.truth["spans"]
        runs = {i: {i} for i, s in spans.items() if s["type"] == kind and not s.get("duplicate_of")}
        for span_id, span in spans.items():
            original = span.get("duplicate_of")
            while original and spans.get(original, {}).get("duplicate_of"):
                original = spans[original]["duplicate_of"]
            if original in runs and span["type"] == kind:
                runs[original].add(span_id)
        return list(runs.values())


@dataclass(frozen=True)
class Answer:
    """The API's responses about one trace."""

    document: Json
    spans: list[Json]

    @property
    def counts(self) -> bool:
        """Whether the trajectory counts, that is, does not repeat another."""
        return "duplicate_of" not in self.document["extraction"]

    def steps(self) -> Iterator[tuple[Json, Json]]:
        """Yield every (agent, step)."""
        for agent in self.document["agent_steps"]:
            for step in agent["steps"]:
                yield agent, step


def all_captures() -> list[Capture]:
    """Return the captures of one instrumentation, with or without one of the model's client."""
    return [c for c in _captures() if not c.dialect.startswith(SEVERAL)]


def pair_captures() -> list[Capture]:
    """Return the captures in which several instrumentations of one framework report at once."""
    return [c for c in _captures() if c.dialect.startswith(SEVERAL)]


@cache
def _captures() -> Sequence[Capture]:
    """Return all captures.

    The function returns the same objects each time, so that their truth is read once.
    """
    return [
        Capture(path.parent.name, path.name.removesuffix(".expect.json"))
        for path in sorted(CAPTURES.glob("*/*.expect.json"))
    ]


def _packed(path: Path) -> bytes:
    return path.with_name(f"{path.name}.gz").read_bytes()


def _check_kind(kind: str, capture: Capture, answers: list[Answer]) -> list[str]:
    runs = capture.runs(kind)
    kept = {
        s["span_id"]
        for a in answers
        for s in a.spans
        if s["kind"] == kind and s["step_id"] == s["span_id"]
    }
    data = {s["id"] for a in answers for _, s in a.steps() if _is_data(s)}
    wrong = kept - set().union(*runs) - data
    missing = [run for run in runs if not run & kept]
    twice = [run for run in runs if len(run & kept) > 1]
    found = {"not a run": wrong, "missing": missing, "counted twice": twice}
    return [f"{kind}s {what}: {sorted(map(str, which))}" for what, which in found.items() if which]


def _is_data(step: Json) -> bool:
    return step["metadata"].get("tool_kind") in DATA_TOOLS


def _check_tokens(capture: Capture, answers: list[Answer]) -> list[str]:
    traces = capture.truth["traces"].values()
    want = {k: sum(t[k] for t in traces) for k in ("input_tokens", "output_tokens")}
    got = {k: sum(a.document["root_step"]["metrics_info"][k] for a in answers) for k in want}
    return [] if got == want else [f"tokens {got}, in truth {want}"]


_DETAILS = {
    "reasoning_tokens": "expected_reasoning_tokens",
    "input_read_cached_tokens": "expected_cache_read_tokens",
    "input_creation_cached_tokens": "expected_cache_creation_tokens",
}


def _check_details(capture: Capture, answers: list[Answer]) -> list[str]:
    calls = [s["model_info"] for a in answers for _, s in a.steps() if s["type"] == "model"]
    got = {name: sum(call[name] for call in calls) for name in _DETAILS}
    want = {name: capture.truth[key] for name, key in _DETAILS.items()}
    return [] if got == want else [f"token details {got}, in truth {want}"]


def _check_owners(capture: Capture, answers: list[Answer]) -> list[str]:
    owners = {s["id"]: _agent_name(a) for x in answers for a, s in x.steps()}
    agents = [c for c in capture.truth["components"] if c["kind"] == "agent"]
    reported = {_agent_name(a) for x in answers for a in x.document["agent_steps"]}
    return [
        f"{span_id} stands under {owners.get(span_id)}, {agent['name']} ran it"
        for agent in agents
        if agent["name"] in reported
        for span_id in _steps_of(agent, agents, capture)
        if owners.get(span_id, agent["name"]) != agent["name"]
    ]


def _agent_name(step: Json) -> str:
    return str(step["metadata"].get("agent_name", step["name"]))


def _steps_of(agent: Json, agents: list[Json], capture: Capture) -> Iterator[str]:
    own_tools = {t for t in agent["tools"] if sum(t in a["tools"] for a in agents) == 1}
    for span_id, span in capture.truth["spans"].items():
        is_own_call = span["type"] == "model" and span.get("model_call") in agent["model_calls"]
        if is_own_call or (span.get("tool_call") or {}).get("name") in own_tools:
            yield span_id


def _check_errors(capture: Capture, answers: list[Answer]) -> list[str]:
    truth = capture.truth
    failing = {e["component"] for e in truth["expected_errors"]} & {"model", "tool"}
    shortfall = json.dumps(truth["telemetry_shortfall"])
    unseen = {kind for kind in failing if f"the {kind} failed, its span" in shortfall}
    failed = {s["type"] for a in answers for _, s in a.steps() if "error" in s["basic_info"]}
    got, want = failed & {"model", "tool"}, failing - unseen
    return [] if got == want else [f"failed {sorted(got)}, in truth {sorted(want)}"]


def _check_outcome(capture: Capture, answers: list[Answer]) -> list[str]:
    """Check that a run failed if its caller got an exception, or else recovered from failures.

    For stopped runs the truth has the outcome of each trace, and the question to the person.
    """
    truth = capture.truth
    if any("outcome" in trace for trace in truth["traces"].values()):
        return [wrong for a in answers for wrong in _outcome_faults(truth["traces"], a.document)]
    if "exception_seen_by_caller" not in truth:
        return []
    failed = "recovered" if truth["expected_errors"] else "ok"
    want = "failed" if truth["exception_seen_by_caller"] else failed
    outcomes = {a.document["extraction"]["outcome"] for a in answers}
    if outcomes & {"paused", "cancelled"} and "interrupt" not in capture.scenario:
        return ["a run that ended by itself is called paused or cancelled"]
    got = next((outcome for outcome in ("failed", "recovered") if outcome in outcomes), "ok")
    return [] if got == want else [f"the run {got}, in truth {want}"]


def _outcome_faults(traces: Json, document: Json) -> list[str]:
    want, got = traces[document["id"]], document["extraction"]
    questions = [json.loads(pause["question"] or "null") for pause in got.get("pauses", ())]
    expected = [{**a, "arguments": json.loads(a["arguments"])} for a in want.get("asked", ())]
    pairs = {
        "the run": (got["outcome"], want.get("outcome", got["outcome"])),
        "a person was asked": (questions, expected),
    }
    if want.keys() & {"asked", "answer"}:
        pairs["goes on"] = (got.get("is_resuming", False), "answer" in want)
    return [f"{what} {was}, in truth {is_}" for what, (was, is_) in pairs.items() if was != is_]


def _kind_measure(kind: str) -> Callable[[Capture, list[Answer]], list[str]]:
    return lambda capture, answers: _check_kind(kind, capture, answers)


Measures: TypeAlias = "Mapping[str, Callable[[Capture, list[Answer]], list[str]]]"

STRUCTURE: Measures = {
    "model": _kind_measure("model"),
    "tool": _kind_measure("tool"),
    "agent": _kind_measure("agent"),
    "graph": _kind_measure("graph"),
    "tokens": _check_tokens,
    "details": _check_details,
    "owner": _check_owners,
    "errors": _check_errors,
    "outcome": _check_outcome,
}
"""Measures that must pass even if content is dropped."""
MEASURES: Measures = {
    **STRUCTURE,
    "answers": check_answers,
    "tool texts": check_tools,
    "ends": check_ends,
    "words": check_words,
}


def measure(
    capture: Capture, answers: Iterable[Answer], measures: Measures = MEASURES
) -> dict[str, list[str]]:
    """Return the faults by measure; all lists are empty if there are none."""
    counting = [a for a in answers if a.counts]
    return {
        name: [] if is_unreported(name, capture) else check(capture, counting)
        for name, check in measures.items()
    }


def print_matrix(
    results: Mapping[Capture, Mapping[str, list[str]]], measures: Measures = MEASURES
) -> str:
    """Return a table of dialects and measures with the numbers of correct scenarios."""
    dialects = sorted({c.dialect for c in results})
    lines = ["".join([f"{'dialect':34}", f"{'n':>4}", *(f"{m:>11}" for m in measures)])]
    for dialect in [*dialects, "all"]:
        mine = [r for c, r in results.items() if dialect in (c.dialect, "all")]
        right = (f"{sum(not r[m] for r in mine):11}" for m in measures)
        lines.append("".join([f"{dialect:34}", f"{len(mine):4}", *right]))
    return "\n".join(lines)
