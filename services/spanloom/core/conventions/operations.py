"""Meanings of operations in any spelling: the kind of a span, and the kind of data it accesses.

A closed list of operations would miss calls of new libraries. These tables list the kind that a
word means.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

OPERATION = "gen_ai.operation.name"
OPERATION_KEYS = (
    OPERATION,
    "sentry.op",
    "gen_ai.span.kind",
    "llm.request.type",
    "traceloop.span.kind",
    "genkit:metadata:subtype",
    "genkit:type",
    "span.type",
    "fi.span.kind",
    "agentops.span.kind",
    "lmnr.span.type",
    "observation.type",
    "ag2.span.type",
)
"""Attributes that name a span's operation."""
KIND_KEYS = frozenset(
    {
        *(OPERATION, "gen_ai.span.kind", "openinference.span.kind"),
        *("traceloop.span.kind", "langfuse.observation.type", "cozeloop.span_type"),
        *("langsmith.span.kind", "fi.span.kind", "agentops.span.kind", "lmnr.span.type"),
        "mlflow.spanType",
    }
)
"""Attributes that name only the kind of a span; a value that is no known kind causes a warning."""
_PREFIX = re.compile(r"^(?:gen_ai|genai|llm|ai|agent)[.:/](?=.)")
_SEPARATORS = re.compile(r"[\W_]+")
OPERATIONS = {
    "chat": Kind.MODEL,
    "text_completion": Kind.MODEL,
    "generate_content": Kind.MODEL,
    "completion": Kind.MODEL,
    "response": Kind.MODEL,
    "execute_tool": Kind.TOOL,
    "embeddings": Kind.TOOL,
    "embedding": Kind.TOOL,
    "retrieval": Kind.TOOL,
    "rerank": Kind.TOOL,
    "invoke_agent": Kind.AGENT,
    "invoke_workflow": Kind.GRAPH,
    "apply_guardrail": Kind.GRAPH,
    "create_memory_store": Kind.TOOL,
    "delete_memory_store": Kind.TOOL,
    "create_memory": Kind.TOOL,
    "update_memory": Kind.TOOL,
    "upsert_memory": Kind.TOOL,
    "search_memory": Kind.TOOL,
    "delete_memory": Kind.TOOL,
}
"""The operations of the GenAI conventions, as they are spelled there."""
_WORDS = {
    Kind.MODEL: (
        *("chatcompletion", "chatcompletions", "completions", "converse", "generatetext"),
        *("streamtext", "generateobject", "streamobject", "generation", "generate", "inference"),
        *("llm", "llmcall", "llmrequest", "modelcall", "modelrequest", "model", "chatmodel"),
        *("messages", "messagescreate", "responses", "responsescreate", "conversestream"),
        *("invokemodel", "createchatcompletion", "chatcompletionscreate", "request"),
        "generateanswer",
    ),
    Kind.TOOL: (
        *("toolcall", "toolscall", "calltool", "tool", "toolexecution", "toolrun"),
        *("functioncall", "function", "functiontool", "invoketool", "runtool", "mcptool"),
        *("embed", "retriever", "reranker"),
        *("addmemory", "memorysearch", "memoryadd", "memorystore", "memoryretrieve", "recall"),
    ),
    Kind.AGENT: (
        *("agentcall", "agentrun", "runagent", "agent", "agentturn", "agentinvoke"),
        *("agentexecution", "executeagent", "agentinvocation"),
    ),
    Kind.GRAPH: ("workflowrun", "runworkflow", "flow", "invokegraph", "graph"),
    Kind.OTHER: (
        *("createagent", "agentstep", "modelstep", "modelchunk", "modelgeneration", "workflowstep"),
        *("framework", "chain", "parser", "prompt", "task", "workflow", "plan", "handoff", "step"),
        *("executetask", "executeeventloopcycle", "scheduletoolcalls", "guardrail", "util"),
        *("fetchresponse", "applyguardrail", "texttospeech", "speechtotext", "tts", "stt", "vad"),
        *("transcription", "transcribe", "speech", "turn", "conversation", "usage"),
    ),
}
"""Operation names of other senders, as ``bare`` returns them, grouped by the kind they mean.

A guardrail is a step only if its operation is spelled as in the conventions.
"""
_KNOWN_TO_DIALECTS = frozenset(
    {
        *("span", "event", "session", "server", "unknown", "null", "evaluator", "default"),
        *("lambda", "toolsnode", "chattemplate", "agenticmodel", "agentictoolsnode"),
        *("agenticagent", "vectordbretrieve", "reranking", "evaluation", "memory"),
        *("creatememorystore", "deletememorystore"),
        *("userprompt", "systemprompt", "executehook"),
    }
)
"""Operations that only one dialect interprets; the tables here leave them out."""
_OPERATION_WORDS = {name.replace("_", ""): kind for name, kind in OPERATIONS.items()}
_KINDS = {
    **{word: kind for word, kind in _OPERATION_WORDS.items() if word not in _KNOWN_TO_DIALECTS},
    **{word: kind for kind, words in _WORDS.items() for word in words},
}
_DATA_KINDS = {"embed": "embedding", "retriev": "retrieval", "rerank": "reranking"}
_MEMORY = "memory"
_MAX_WORD = 60


def bare(name: str) -> str:
    """Return a name without case and separators: ``Cache_Read`` → ``cacheread``."""
    return _SEPARATORS.sub("", name).lower()


def word_of(operation: str) -> str:
    """Return an operation without prefix, case and separators: ``gen_ai.Chat`` → ``chat``."""
    return bare(_PREFIX.sub("", operation[:_MAX_WORD]))


def kind_of_operation(attributes: Mapping[str, str]) -> Kind | None:
    """Return the kind that a span's operation means; ``OTHER`` if the operation is not a step.

    Return ``None`` if the span has no known operation.
    """
    return kind_of_words(text for key in OPERATION_KEYS if (text := attributes.get(key)))


def kind_of_words(texts: Iterable[str]) -> Kind | None:
    """Return the kind that the first known operation means; ``None`` if none is known."""
    kinds = (_kind_of_word(text[:_MAX_WORD]) for text in texts)
    return next((kind for kind in kinds if kind is not None), None)


@lru_cache(maxsize=1024)
def _kind_of_word(text: str) -> Kind | None:
    word = word_of(text)
    return _KINDS.get(word) or (None if word in _KNOWN_TO_DIALECTS else _kind_of_parts(text))


def _kind_of_parts(operation: str) -> Kind | None:
    """Return the kind of an operation that contains an object and a verb, in any order.

    Examples: ``create.chat.completions``, ``ai.toolCall.doCall``.
    """
    parts = {part.lower() for part in _PART.findall(operation[:_MAX_WORD])}
    return next((k for k, objects, verbs in _PARTS if parts & objects and parts & verbs), None)


_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ACTS = frozenset({"call", "calls", "run", "invoke", "execute", "execution", "invocation"})
_PARTS = (
    (Kind.TOOL, frozenset({"tool", "tools", "function"}), _ACTS),
    (Kind.AGENT, frozenset({"agent"}), _ACTS),
    (Kind.MODEL, frozenset({"chat"}), frozenset({"completion", "completions"})),
    (Kind.MODEL, frozenset({"llm"}), _ACTS | {"request", "generate", "completion", "chat"}),
    (Kind.MODEL, frozenset({"generate", "stream"}), frozenset({"do", "text", "content"})),
    (Kind.TOOL, frozenset({"embed", "embeddings"}), frozenset({"do", "create", "text", "many"})),
)
"""Kinds, each with the objects and the verbs that together mean it."""


def kind_of_name(name: str) -> Kind | None:
    """Return the kind that the first word of a span's name means; ``None`` if unknown."""
    return _KINDS.get(word_of(name.partition(" ")[0]))


def unknown_kinds(spans: Sequence[Mapping[str, str]]) -> Collection[tuple[str, str]]:
    """Return key and value of each attribute in ``KIND_KEYS`` whose value is no known kind."""
    used = set[str]().union(*spans)  # computed first, because a trace has few different keys
    return {
        (key, text)
        for key in KIND_KEYS
        if key in used
        for text in {attributes[key] for attributes in spans if key in attributes}
        if text and not _is_known(text[:_MAX_WORD])
    }


@lru_cache(maxsize=1024)
def _is_known(text: str) -> bool:
    return word_of(text) in _KNOWN_TO_DIALECTS or _kind_of_word(text) is not None


def data_kind_of(attributes: Mapping[str, str]) -> str:
    """Return ``embedding``, ``retrieval``, ``reranking`` or ``memory`` by operation; else empty."""
    words = [word_of(text) for key in OPERATION_KEYS if (text := attributes.get(key))]
    kinds = [kind for word in words if (kind := data_kind_of_word(word))]
    return _MEMORY if _MEMORY in kinds else next(iter(kinds), "")


def data_kind_of_word(word: str) -> str:
    """Return the kind of data that an operation accesses, in the terms of ``data_kind_of``."""
    if _MEMORY in word:
        return _MEMORY
    return next((kind for start, kind in _DATA_KINDS.items() if word.startswith(start)), "")
