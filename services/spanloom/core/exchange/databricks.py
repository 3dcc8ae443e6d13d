"""Rows for Databricks' Agent Evaluation: a request, the response, the expectations.

A row is a run if it has a ``trace`` or a ``response``, because the schema requires one of them once
the application has run. A row with neither is an item that has not run yet, and is rejected. A file
may also be one object with a list per column, like the example in the schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import DraftStep, complete
from spanloom.core.exchange.ids import step_id_of
from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.documents import documents_in, uri_of
from spanloom.core.exchange.mlflow.reader import draft_of
from spanloom.core.exchange.mlflow.rows import (
    ITEM,
    bare_run,
    expectations_of,
    is_given,
    note_others,
    text_in,
)
from spanloom.core.exchange.mlflow.values import encoded, parsed
from spanloom.core.exchange.mlflow.writer import trace_of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.parts import MAX_WHOLE
from spanloom.core.formats.readers import (
    EachAlone,
    Located,
    Refused,
    a_list,
    a_text,
    an_object,
    kind_of,
)
from spanloom.core.messages.texts import answer_in
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.core.document import Document, DocumentStep
    from spanloom.core.exchange.drafts import Draft
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading, Taken
    from spanloom.core.formats.stored import Stored

_EXPECTED = (
    *("expected_response", "expected_retrieved_context", "expected_facts", "guidelines"),
    "custom_expected",
)
_GENERATED = ("request_id", "response", "retrieved_context", "trace")
_KNOWN = frozenset({"request", *_GENERATED, *_EXPECTED})
_OF_SEARCHES = ("spans", "trace_metadata", "state")
"""Columns returned by MLflow's ``search_traces``, whose rows have requests and responses too."""

_RETRIEVAL = dump(names.RETRIEVAL)
"""These bytes occur in every document with retrieval steps, so other documents are not parsed."""


def write_row(stored: Stored, losses: Losses) -> bytes:
    """Return a run as a row; every run can be written as one."""
    view = stored.view
    trace = dump(trace_of(stored, losses)).decode()
    expected = expectations_of(view)
    row: Json = {
        "request_id": view.id,
        "request": _request_out(view.root.input),
        "response": answer_in(view.root.output, MAX_WHOLE),
        **{name: expected[name] for name in _EXPECTED if name in expected},
    }
    if _RETRIEVAL in stored.document and (step := last_retrieval(view)) is not None:
        row["retrieved_context"] = list(_context(step, losses))
    return dump({**row, "trace": trace})


def _request_out(text: str) -> Any:  # any JSON value
    """Return a request in the row's form: a string for a single user message, else messages."""
    value = json_value(text)
    messages = value.get("messages") if isinstance(value, dict) else value
    listed = messages if isinstance(messages, list) else []
    spoken = [one for one in listed if isinstance(one, dict) and isinstance(one.get("role"), str)]
    if not spoken or len(spoken) < len(listed):
        return value if isinstance(value, dict) and isinstance(value.get("query"), str) else text
    content = spoken[0].get("content")
    is_one = len(spoken) == 1 and spoken[0]["role"] == "user" and isinstance(content, str)
    return content if is_one else {"messages": spoken}


def last_retrieval(document: Document) -> DocumentStep | None:
    """Return the retrieval step with the latest start (then id); ``None`` if there is none."""
    found = (s for s in document.steps if s.metadata.get(names.TOOL_KIND) == names.RETRIEVAL)
    return max(found, key=lambda step: (step.started_at, step.id), default=None)


def _context(step: DocumentStep, losses: Losses) -> Iterator[Json]:
    """Yield the documents that a retrieval returned; a document without a URI gets an id."""
    for at, document in enumerate(documents_in(step.output)):
        if not (uri := uri_of(document)):
            losses.note(Code.IDS_MADE, f"{step.id}.{at}")
        yield {"doc_uri": uri or f"{step.id}.{at}", "content": document["page_content"]}


class Rows:
    """Reads single rows, and objects with a list per column."""

    def fits(self, value: Any) -> bool:  # any JSON value
        """Return whether a value has a request and no columns of another system."""
        if not isinstance(value, dict) or "request" not in value or "inputs" in value:
            return False
        return not any(name in value for name in _OF_SEARCHES)

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return ``False``, because a list is never a single record of this format."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield, for each row, a run or its rejection."""
        for value in values:
            try:
                rows = list(rows_in(value))
            except InvalidRequestError as error:
                yield Refused(value.place, str(error))
            else:
                yield from EachAlone(self.fits, _read_row).read(rows, reading)


ROWS = Rows()


def rows_in(located: Located) -> Iterator[Located]:
    """Yield a row, or the rows of an object with a list per column.

    Raises ``InvalidRequestError`` if the lists have different lengths.
    """
    place, value = located
    if not isinstance(value, dict) or not isinstance(value.get("request"), list):
        yield located
        return
    for name, column in value.items():
        if len(a_list(column, name)) != len(value["request"]):
            raise InvalidRequestError(f"{name}: the columns have different lengths")
    for at in range(len(value["request"])):
        yield Located(f"{place}: row {at + 1}", {name: cells[at] for name, cells in value.items()})


def _read_row(value: Any, reading: Reading) -> Iterable[Json]:  # any JSON value
    row = an_object(value, "row")
    if not is_given(row.get("request")) and not is_given(row.get("trace")):
        raise InvalidRequestError("request: it is missing")
    note_others(row, _KNOWN, reading)
    expected = {name: row[name] for name in _EXPECTED if is_given(row.get(name))}
    request = _request_in(row.get("request"), reading)
    if is_given(trace := row.get("trace")):
        yield complete(draft_of(parsed(trace, "trace"), reading, "trace.", expected))
        return
    if not is_given(response := row.get("response")):
        raise InvalidRequestError(ITEM.format("response"))
    texts = request, text_in(response, "response", reading)
    own = row.get("request_id")
    source = a_text(own, "request_id") if is_given(own) else ""
    draft = bare_run(row, source, texts, expected, reading)
    if is_given(context := row.get("retrieved_context")):
        draft.steps = [*draft.steps, _retrieval(draft, a_list(context, "retrieved_context"))]
    yield complete(draft)


def _request_in(request: object, reading: Reading) -> str:
    """Return a request as text; messages become JSON text."""
    value = json_object(request) if isinstance(request, str) else request
    if isinstance(value, dict) and "messages" in value:
        return _messages(value["messages"], "request.messages", reading)
    if isinstance(value, dict) and "query" in value:
        query = a_text(value["query"], "request.query")
        earlier = a_list(value.get("history") or [], "request.history")
        messages = [*earlier, {"role": "user", "content": query}]
        return _messages(messages, "request.history", reading) if earlier else query
    if isinstance(request, str) or request is None:
        return text_in(request or "", "request", reading)
    wanted = "a string, or an object with `messages` or `query`"
    raise InvalidRequestError(f"request: {wanted} is needed here, not {kind_of(request)}")


def _messages(value: object, where: str, reading: Reading) -> str:
    for at, message in enumerate(a_list(value, where)):
        a_text(an_object(message, f"{where}.{at}").get("role"), f"{where}.{at}.role")
    return text_in(value, where, reading)


def _retrieval(draft: Draft, context: list[Any]) -> DraftStep:
    """Return a retrieval step that returned the documents in a row."""
    documents = [
        {"page_content": one.get("content") or "", "metadata": {"doc_uri": one.get("doc_uri")}}
        for at, value in enumerate(context)
        if (one := an_object(value, f"retrieved_context.{at}"))
    ]
    root = draft.steps[0]
    return DraftStep(
        step_id_of(draft.trace_id, "retrieved_context"),
        root.id,
        Kind.TOOL,
        "retriever",
        output=encoded(documents, "retrieved_context"),
        metadata={names.TOOL_KIND: names.RETRIEVAL},
    )
