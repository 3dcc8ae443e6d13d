"""Writes a run as an MLflow trace, version 3: a span for each step.

Members for which MLflow has no attribute are in two attributes that Spanloom adds:
``spanloom.step`` on each span, and ``spanloom.run`` on the root span. MLflow preserves both, so a
run is read back unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.exchange.kept import OF_THE_SOURCE, Kept, count_lost
from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.scores import write_assessments
from spanloom.core.exchange.mlflow.spans_out import SpanWriter
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.moments import rfc3339_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.document import Document, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

_OF_THE_RUN = (*OF_THE_SOURCE, "warnings")
_KEPT = Kept((*_OF_THE_RUN, "errors"))
"""The format preserves all members of steps, and the types and stack traces of failures."""
_STATES = {"live": "IN_PROGRESS", "failed": "ERROR"}
NO_EXPERIMENT = "0"


def write_trace(stored: Stored, losses: Losses) -> bytes:
    """Return a run as the JSON of an MLflow trace."""
    return dump(trace_of(stored, losses))


def trace_of(stored: Stored, losses: Losses) -> Json:
    """Return a run as an MLflow trace; every run can be written as one."""
    document = stored.view
    writer = SpanWriter(document, losses)
    spans = writer.spans()
    spans[0]["attributes"][names.RUN] = dump(_run(document)).decode()
    count_lost(document, _KEPT, losses)
    for at in writer.failures_elsewhere():
        losses.note(Code.METADATA_DROPPED, f"extraction.errors.{at}")
    info = _info(document, writer.root)
    if scores := write_assessments(stored.scores, info["trace_id"], losses):
        info["assessments"] = scores
    return {"info": info, "data": {"spans": spans}}


def _run(document: Document) -> Json:
    """Return the value of ``spanloom.run``, from which a reader restores the run."""
    facts = document.extraction.members(_OF_THE_RUN)
    metadata = _texts(document.extraction.metadata)
    own = {k: v for k, v in metadata.items() if (k, v) != (names.SOURCE_ID, request_id(document))}
    return {name: value for name, value in {**facts, "metadata": own}.items() if value}


def request_id(document: Document) -> str:
    """Return the trace id in MLflow's form."""
    return f"tr-{document.id}"


def _info(document: Document, root: DocumentStep) -> Json:
    extraction = document.extraction
    metadata = _texts(extraction.metadata)
    status = str(extraction.status_text)
    state = _STATES.get(status) or metadata.get(names.STATE) or ("ERROR" if root.error else "OK")
    experiment = metadata.get(names.EXPERIMENT) or NO_EXPERIMENT
    info: Json = {
        "trace_id": request_id(document),
        "trace_location": {
            "type": "MLFLOW_EXPERIMENT",
            "mlflow_experiment": {"experiment_id": experiment},
        },
        "request_time": rfc3339_ms(root.started_at),
        "execution_duration_ms": root.duration,
        "state": state if state in ("OK", "ERROR", "IN_PROGRESS") else "OK",
        "request_preview": question_in(root.input)[: names.MAX_PREVIEW],
        "response_preview": answer_in(root.output)[: names.MAX_PREVIEW],
        "trace_metadata": _trace_metadata(document, metadata),
        "tags": _tags(extraction.tags, root.name),
    }
    if request := metadata.get(names.REQUEST):
        info[names.REQUEST] = request
    return info


def _trace_metadata(document: Document, metadata: Mapping[str, str]) -> Mapping[str, str]:
    """Return the metadata, cut to MLflow's maximum length; ``spanloom.run`` has it uncut."""
    extraction, usage = document.extraction, document.root.metrics
    counts = [usage.input_tokens, usage.output_tokens]
    total = {"input_tokens": counts[0], "output_tokens": counts[1], "total_tokens": sum(counts)}
    ours = (names.SOURCE_ID, names.STATE, names.EXPERIMENT, names.REQUEST)
    texts = {name: value for name, value in metadata.items() if name not in ours}
    texts[names.SCHEMA] = "3"
    if session := extraction.conversation_id:
        texts[names.SESSION] = str(session)
    if user := extraction.user_id:
        texts[names.USER] = str(user)
    if any(counts):
        texts[names.TRACE_USAGE] = dump(total).decode()
    if (cost := extraction.cost_usd) is not None:
        texts[names.TRACE_COST] = dump({"total_cost": cost}).decode()
    most = names.MAX_METADATA
    return {name[:most]: value[:most] for name, value in texts.items()}


def _tags(tags: Iterable[str], name: str) -> Mapping[str, str]:
    own = {str(tag)[: names.MAX_METADATA]: "" for tag in tags}
    return own | {names.TRACE_NAME: name[: names.MAX_TAG]}


def _texts(metadata: Mapping[str, object]) -> Mapping[str, str]:
    return {name: value for name, value in metadata.items() if isinstance(value, str)}
