"""Potato's files: the configuration and the items of a task, and the annotators' answers."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.document import AGENT, Document
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep

if TYPE_CHECKING:
    Json = dict[str, Any]  # a JSON object

MOST_TEXT = 20_000
"""Maximum length of a step's text, in characters; longer texts are cut, with a note."""
ITEMS_FILE = "items.json"
OUTPUT = "annotation_output"


def write_config(name: str, schemes: Sequence[Json], users: Iterable[str] = ()) -> Json:
    """Return the configuration of a task, to be written as JSON, which is valid YAML."""
    return {
        "annotation_task_name": name,
        "task_dir": ".",
        "output_annotation_dir": OUTPUT,
        "data_files": [{"type": "json", "path": ITEMS_FILE}],
        "item_properties": {"id_key": "id", "text_key": "task_description"},
        "user_config": {"allow_all_users": True, "users": sorted(users)},
        "annotation_schemes": list(schemes),
    }


def write_item(document: Json, *, with_agents: bool = False) -> Json:
    """Return a trajectory as an item: its steps in (start, id) order, each with its ``step_id``.

    ``action`` is a tool call with its arguments, or an answer; ``thought`` is the model's
    reasoning. Agent steps are left out unless ``with_agents``.
    """
    return {
        "id": document["id"],
        "task_description": cut(question_in(Document(document).root.input)),
        "steps": [_step(step) for step in list_steps(document, with_agents=with_agents)],
    }


def list_steps(document: Json, *, with_agents: bool = False) -> Sequence[DocumentStep]:
    """Return the steps that an item contains, in (start, id) order, each id once."""
    steps = Document(document).steps
    by_id = {step.id: step for step in steps if with_agents or step.type != AGENT}
    return sorted(by_id.values(), key=lambda step: (step.started_at, step.id))


def cut(text: str) -> str:
    """Return a text cut to ``MOST_TEXT`` characters, with a note of how many were cut off."""
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[:MOST_TEXT]} […{len(text) - MOST_TEXT:,} characters more]"


def _step(step: DocumentStep) -> Json:
    is_call = step.type == "tool"
    action = f"{step.name}({step.input})" if is_call else answer_in(step.output)
    shown = {
        "action": cut(action or step.name),
        "thought": cut("\n".join(_thoughts(json_value(step.output))) or _thought(step)),
        "agent": step.agent_name,
        "type": step.type,
        "step_id": step.id,
    }
    if is_call:
        shown["observation"] = cut(step.output or step.error_message)
    return shown


def _thought(step: DocumentStep) -> str:
    """Return the thought in a tool step's metadata, as imported from Potato; otherwise empty."""
    return str(step.metadata.get("thought", "")) if step.type == "tool" else ""


def _thoughts(messages: object) -> Iterator[str]:
    for message in messages if isinstance(messages, list) else [messages]:
        if isinstance(message, dict) and isinstance(message.get("reasoning_content"), str):
            yield message["reasoning_content"]


LABELS = "instance_id_to_label_to_value"
_NOT_ANNOTATORS = ("id", "instance_id", "item_id")


def write_user_state(user: str, items: Sequence[str], answers: Mapping[str, Json]) -> Json:
    """Return the state of a user; ``answers`` are keyed by item, then by scheme.

    The user's account must already exist in Potato, because Potato does not register a name for
    which there is a folder.
    """
    return {
        "user_id": user,
        "instance_id_ordering": list(items),
        "current_instance_index": 0,
        "current_phase_and_page": ["annotation", None],
        "completed_phase_and_pages": [],
        "max_assignments": len(items),
        "instance_id_to_span_to_value": {},
        "phase_to_page_to_label_to_value": {},
        "phase_to_page_to_span_to_value": {},
        "instance_id_to_behavioral_data": {},
        LABELS: {item: labels_of(of_schemes) for item, of_schemes in answers.items()},
    }


def labels_of(answers: Mapping[str, Json]) -> list[Any]:
    """Convert the answers for one item, keyed by scheme, to the form of a user state."""
    return [
        [{"schema": scheme, "name": scheme}, json.dumps(answer, ensure_ascii=False)]
        for scheme, answer in answers.items()
    ]


def read_file(name: str, content: bytes) -> Iterator[Json]:
    """Yield the answers in a Potato file as records ``{item, annotator, scheme, answer}``.

    The file is a user state, a CSV or the JSON of ``agent_eval``; raises ``ValueError`` for others.
    """
    if name.endswith(".csv"):
        yield from _read_csv(content.decode("utf-8-sig"))
        return
    whole = orjson.loads(content)
    if isinstance(whole, dict) and LABELS in whole:
        yield from _read_state(whole)
    else:
        yield from _read_evaluation(whole)


def _read_state(state: Json) -> Iterator[Json]:
    user = str(state.get("user_id", ""))
    for item, labels in (state[LABELS] or {}).items():
        for label, text in labels:
            scheme = label.get("schema") if isinstance(label, dict) else str(label)
            yield from _record(item, user, str(scheme), text)


def _read_csv(text: str) -> Iterator[Json]:
    """Yield records from rows with an item, a user, and JSON in columns ``scheme.scheme``."""
    csv.field_size_limit(1 << 24)
    for row in csv.DictReader(io.StringIO(text)):
        item = next((row[key] for key in _NOT_ANNOTATORS if row.get(key)), "")
        user = next((row[key] for key in ("user_id", "user", "annotator") if row.get(key)), "")
        for column, cell in row.items():
            scheme, _, same = (column or "").partition(".")
            if scheme and scheme == same and cell:
                yield from _record(item, user, scheme, cell)


def _read_evaluation(whole: object) -> Iterator[Json]:
    """Yield records from the JSON of ``agent_eval``, which lists answers per item, not per user.

    A single annotator's name is in the summary; several annotators are numbered in list order.
    """
    if not isinstance(whole, dict) or not isinstance(whole.get("per_trace"), list):
        raise ValueError("the file is none of Potato's that hold annotations")
    named = whole.get("summary", {}).get("annotators", [])
    for trace in whole["per_trace"]:
        for scheme, answers in trace.get("annotations", {}).items():
            values = answers.get("values", ()) if isinstance(answers, dict) else ()
            for number, value in enumerate(values, 1):
                user = str(named[0]) if len(named) == 1 else f"annotator {number}"
                held = value.get(scheme, value) if isinstance(value, dict) else value
                yield from _record(str(trace.get("trace_id", "")), user, scheme, held)


def _record(item: str, user: str, scheme: str, answer: object) -> Iterator[Json]:
    """Yield a record if the answer is an object, or the JSON text of an object."""
    if isinstance(answer, str):
        try:
            answer = orjson.loads(answer)
        except orjson.JSONDecodeError:
            return
    if isinstance(answer, dict):
        yield {"item": item, "annotator": user, "scheme": scheme, "answer": answer}
