"""Every format that Spanloom writes or reads: documents, files, tables, pages and annotations.

The choices for ``?format=``, ``Accept``, ``export`` and ``import`` are derived from this list, and
so is the table in ``docs/export.md``. A new format needs a file with its writer or reader, and an
entry here; ``entry.py`` describes what an entry declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.formats.entry import (
    ARROW,
    CSV,
    HTML,
    JSON,
    NDJSON,
    PARQUET,
    Filed,
    Format,
    Of,
    Via,
    annotations_as,
    document_with_file,
    file_of_runs,
    rows_as,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_A_STEP = "A row for each step."
REGISTRY: Sequence[Format] = (
    *document_with_file(
        "canonical",
        "The trajectory as stored: Coze Loop's schema and an `extraction` object.",
        "spanloom.core.formats.canonical:as_stored",
        file="jsonl",
        lines="One canonical document per line.",
        reader="spanloom.client.transfer.documents:CANONICAL",
    ),
    # --- formats of other systems, sorted by id
    *document_with_file(
        "atif",
        "A run as a trajectory of ATIF 1.8, which Harbor reads; agents that it calls are included.",
        "spanloom.core.exchange.atif.writing:write",
        lines="One trajectory of ATIF per line.",
        reader="spanloom.core.exchange.atif.reading:READER",
    ),
    *document_with_file(
        "chat",
        "`{messages, tools, metadata}` of the root agent, to tune models on.",
        "spanloom.core.exchange.chat:write",
        lines="One such object per line.",
        reader="spanloom.core.exchange.chat:READER",
    ),
    *document_with_file(
        "coze",
        "What Coze Loop's published builder prints for the same steps.",
        "spanloom.core.exchange.coze.builder:encode_coze",
        needs_spans=True,
        lines="One document of Coze Loop's builder per line.",
        reader="spanloom.core.exchange.coze.reading:COZE",
    ),
    *document_with_file(
        "coze-dataset",
        "An item of an evaluation set of Coze Loop.",
        "spanloom.core.exchange.coze.dataset:write_item",
        lines="One item of an evaluation set per line; the set's schema is in a separate file.",
        reader="spanloom.core.exchange.coze.dataset:DATASET",
        side_files="spanloom.core.exchange.coze.dataset:schema_file",
    ),
    *document_with_file(
        "coze-example",
        "A trajectory as in Coze Loop's documentation: `agent_steps` inside `root_step`.",
        "spanloom.core.exchange.coze.example:write_example",
        lines="One trajectory as in Coze Loop's documentation per line.",
        reader="spanloom.core.exchange.coze.reading:EXAMPLE",
    ),
    *document_with_file(
        "databricks",
        "A row for Databricks' Agent Evaluation: request, response, retrieved context and trace.",
        "spanloom.core.exchange.databricks:write_row",
        lines="One row for Databricks' Agent Evaluation per line.",
        reader="spanloom.core.exchange.databricks:ROWS",
        has_scores=True,
        has_rows=True,
    ),
    *document_with_file(
        "inspect",
        "A run as a log of Inspect with one sample, its steps as events.",
        "spanloom.core.exchange.inspect.writing:write_log",
        lines="One log of Inspect, with one sample per run; also reads `.eval` files.",
        reader="spanloom.core.exchange.inspect.reading:INSPECT",
        filed=Filed.LOG,
        magic=b"PK\x03\x04",
        unpacker="spanloom.client.transfer.eval_file:read_eval",
        has_constants=True,
        has_scores=True,
    ),
    *document_with_file(
        "invariant",
        "Its agents as lines `{index, messages, annotations, metadata}` of Invariant Explorer.",
        "spanloom.core.exchange.invariant.writer:encode_invariant",
        lines="One line for each agent of each run, in the dataset format of Invariant Explorer.",
        reader="spanloom.core.exchange.invariant.reader:INVARIANT",
        filed=Filed.SPREAD,
    ),
    *document_with_file(
        "langsmith",
        "An example of a LangSmith dataset: the question, and the messages that answered it.",
        "spanloom.core.exchange.langsmith:write",
        lines="One example of a LangSmith dataset per line.",
        reader="spanloom.core.exchange.langsmith:READER",
    ),
    *document_with_file(
        "mlflow",
        "An MLflow trace, version 3.",
        "spanloom.core.exchange.mlflow.writer:write_trace",
        lines="One MLflow trace per line; reads versions 2 to 4.",
        reader="spanloom.core.exchange.mlflow.reader:TRACES",
        has_scores=True,
    ),
    *document_with_file(
        "mlflow-eval",
        "A row for `mlflow.genai.evaluate`: inputs, outputs, expectations and trace.",
        "spanloom.core.exchange.mlflow_eval:write_row",
        lines="One row for `mlflow.genai.evaluate` per line.",
        reader="spanloom.core.exchange.mlflow_eval:ROWS",
        has_scores=True,
        has_rows=True,
    ),
    *document_with_file(
        "openai",
        "The messages of the root agent, as OpenAI's API has them.",
        "spanloom.core.exchange.openai:write",
        lines="One list per line: the messages of a run.",
        reader="spanloom.core.exchange.openai:READER",
    ),
    *document_with_file(
        "openai-agents",
        "The messages of every agent of a run, by its name.",
        "spanloom.core.exchange.openai_agents:write",
        lines="One object per line, with a list of messages for each agent of a run.",
    ),
    *document_with_file(
        "potato",
        "A run as an item for Potato: its steps, each an action with its thought.",
        "spanloom.core.exchange.potato.writing:write",
        lines="A folder for Potato: the items, and the configuration of a task.",
        reader="spanloom.core.exchange.potato.reading:POTATO",
        filed=Filed.ARRAY,
        named="items.json",
        side_files="spanloom.core.exchange.potato.writing:config_files",
    ),
    *document_with_file(
        "snorkel",
        "A trace of Snorkel: nested steps with plain values as metadata.",
        "spanloom.core.exchange.snorkel.writing:write_trace",
        lines="An array with the traces of all runs.",
        reader="spanloom.core.exchange.snorkel.reading:TRACES",
        filed=Filed.ARRAY,
    ),
    *document_with_file(
        "sts",
        "The messages of the root agent, one per line, for the Hugging Face Hub's trace viewer.",
        "spanloom.core.exchange.sts:write",
        lines="A folder with one such file for each run.",
        reader="spanloom.core.exchange.sts:READER",
        filed=Filed.FOLDER,
        in_lines=True,
    ),
    Format(
        id="adk",
        of=Of.RUNS,
        media_type=JSON,
        suffix=".json",
        description="Evaluation sets of Google's ADK: a case is the conversation of a run.",
        via=Via(0),
        reader="spanloom.core.exchange.adk:READER",
    ),
    # --- spans, pages and tables
    Format(
        id="otlp",
        of=Of.RUN,
        media_type=JSON,
        suffix=".json",
        description="Every span as it was sent, in OTLP's JSON or protobuf.",
        via=Via.PATH,
        path="otlp",
        writer="spanloom.core.formats.otlp:resource_spans_json",
        streams=True,
    ),
    Format(
        id="html",
        of=Of.RUN,
        media_type=HTML,
        suffix=".html",
        description="Its steps as a tree, in one file without script.",
        via=Via.PATH,
        path="export.html",
        writer="spanloom.core.showing.html.page:run_page",
    ),
    file_of_runs(
        "parquet",
        "One row per run: its metrics, and its document as text.",
        media_type=PARQUET,
        suffix=".parquet",
        line="canonical",
        writer="spanloom.client.transfer.tables:write_parquet",
        reader="spanloom.client.transfer.tables:read_parquet",
        magic=b"PAR1",
        extra="arrow",
    ),
    file_of_runs(
        "arrow",
        "The same as an Arrow file, which programs map into memory.",
        media_type="application/vnd.apache.arrow.file",
        suffix=".arrow",
        line="canonical",
        writer="spanloom.client.transfer.tables:write_arrow",
        reader="spanloom.client.transfer.tables:read_arrow",
        magic=b"ARROW1",
        extra="arrow",
    ),
    file_of_runs(
        "otlp",
        "The spans of one run per line, as they were sent.",
        line="otlp",
        reader="spanloom.client.transfer.items:read_groups",
        streams=True,
    ),
    # --- lists, annotations and conversations
    rows_as("jsonl", NDJSON, "A line of JSON for each row.", "spanloom.api.rows.forms:Ndjson"),
    rows_as("csv", CSV, "A table.", "spanloom.api.rows.forms:Csv"),
    rows_as("arrow", ARROW, "Columns with types.", "spanloom.api.rows.arrow:ArrowStream", "arrow"),
    rows_as("parquet", PARQUET, "Columns with types.", "spanloom.api.rows.arrow:Parquet", "arrow"),
    annotations_as(
        "jsonl",
        "A line for each annotator and run.",
        "spanloom.annotation.entries:entry_lines",
        via=Via.QUERY | Via.ACCEPT | Via.SHELL,
        reader="spanloom.client.transfer.entries:read_lines",
    ),
    annotations_as(
        "csv",
        _A_STEP,
        "spanloom.api.rows.forms:Csv",
        media_type=CSV,
        suffix=".csv",
        via=Via.ACCEPT | Via.SHELL,
    ),
    annotations_as(
        "arrow",
        _A_STEP,
        "spanloom.api.rows.arrow:ArrowStream",
        media_type=ARROW,
        suffix=".arrow",
        via=Via.ACCEPT,
        extra="arrow",
    ),
    annotations_as(
        "parquet",
        _A_STEP,
        "spanloom.api.rows.arrow:Parquet",
        media_type=PARQUET,
        suffix=".parquet",
        via=Via.ACCEPT | Via.SHELL,
        extra="arrow",
    ),
    annotations_as(
        "sft",
        "`{messages}` up to a corrected answer, to tune on.",
        "spanloom.annotation.entries:sft_lines",
        counts_corrections=True,
    ),
    annotations_as(
        "dpo",
        "`{prompt, chosen, rejected}`: a corrected answer and the original.",
        "spanloom.annotation.entries:dpo_lines",
        counts_corrections=True,
    ),
    annotations_as(
        "invariant",
        "`{index, messages, annotations, metadata}`: an agent of a run, for Invariant Explorer.",
        "spanloom.annotation.entries:invariant_runs",
    ),
    annotations_as(
        "snorkel",
        "A run as a trace of Snorkel, annotations in the metadata of its steps.",
        "spanloom.annotation.entries:snorkel_runs",
    ),
    annotations_as(
        "potato",
        "The folder of a task for Potato, or a ZIP of it.",
        "spanloom.client.transfer.potato:write_task",
        media_type="application/zip",
        suffix="",
        via=Via.SHELL | Via.PATH,
        path="potato",
        reader="spanloom.client.transfer.potato:read_potato",
    ),
    Format(
        id="html",
        of=Of.CONVERSATION,
        media_type=HTML,
        suffix=".html",
        description="Its runs in their order, each as its own page shows it.",
        via=Via.PATH,
        path="export.html",
        writer="spanloom.core.showing.html.page:write_run",
        streams=True,
    ),
)


def formats_of(of: Of, via: Via | None = None) -> Mapping[str, Format]:
    """Return a subject's formats in order, keyed by id; only those chosen by ``via``, if given."""
    return {
        known.id: known
        for known in REGISTRY
        if known.of is of and (via is None or via in known.via)
    }


CANONICAL = formats_of(Of.RUN)["canonical"]


def find_format(name: str) -> Format:
    """Return the format of one run for ``?format=``.

    Raises ``InvalidQueryError`` with the known names for an unknown name.
    """
    formats = formats_of(Of.RUN, Via.QUERY)
    try:
        return formats[name]
    except KeyError:
        known = ", ".join(sorted(formats))
        raise InvalidQueryError(f"{name!r} is unknown; known are {known}", "format") from None


def named_by(formats: Mapping[str, Format], join: str) -> str:
    """Return a phrase with media types and descriptions; equal descriptions occur once.

    For ``text/csv`` with "A table.": ```text/csv`: a table``; ``join`` is "and" or "or".
    """
    together: dict[str, list[str]] = {}
    for known in formats.values():
        together.setdefault(known.description, []).append(f"`{known.media_type}`")
    return "; ".join(
        f"{_listed(types, join)}: {description[0].lower()}{description[1:].rstrip('.')}"
        for description, types in together.items()
    )


def _listed(names: Sequence[str], join: str) -> str:
    *others, last = names
    return f"{', '.join(others)} {join} {last}" if others else last
