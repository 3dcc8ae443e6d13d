"""The supported frameworks and their instrumentations: the rows of a table.

Each row names the folder of its captures, even if the fixtures do not include it, and attributes of
its spans: if there are no captures, the dialects get these attributes, which shows the dialect that
reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.ground_truth import all_captures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Framework:
    """One way in which a framework reports its runs."""

    name: str
    emitter: str
    """The instrumentation and the tested version."""
    folder: str
    """The folder of its captures."""
    scope: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Attributes of one of its model calls or agent runs."""


def _openinference(name: str, version: str, folder: str, package: str, **more: str) -> Framework:
    scope = f"openinference.instrumentation.{package}"
    emitter = f"openinference-instrumentation-{package.replace('_', '-')} {version}"
    marks = {"openinference.span.kind": "LLM", **more}
    return Framework(name, emitter, folder, scope, marks)


def _genai(operation: str, **more: str) -> Mapping[str, str]:
    return {"gen_ai.operation.name": operation, **more}


_LANGCHAIN = "LangChain, LangGraph"
_LANGCHAIN_JS = "LangChain.js, LangGraph.js"
_TRACELOOP = {"traceloop.span.kind": "workflow"}

FRAMEWORKS = (
    _openinference(_LANGCHAIN, "0.1.80", "openinference-langchain", "langchain"),
    _openinference(
        f"{_LANGCHAIN} over OpenAI", "0.1.66", "openinference-langchain-openai", "openai"
    ),
    Framework(
        _LANGCHAIN_JS,
        "@arizeai/openinference-instrumentation-langchain 4.1.1",
        "js-openinference",
        "@arizeai/openinference-instrumentation-langchain",
        {"openinference.span.kind": "CHAIN"},
    ),
    Framework(
        _LANGCHAIN,
        "opentelemetry-instrumentation-langchain 0.62.4",
        "traceloop",
        "opentelemetry.instrumentation.langchain",
        _TRACELOOP,
    ),
    Framework(
        f"{_LANGCHAIN} over OpenAI",
        "with opentelemetry-instrumentation-openai 0.62.4",
        "traceloop-openai",
        "opentelemetry.instrumentation.openai.v1",
        _genai("chat"),
    ),
    Framework(
        _LANGCHAIN,
        "opentelemetry-instrumentation-langchain 0.40.14",
        "traceloop-0.40",
        "opentelemetry.instrumentation.langchain",
        {"llm.request.type": "chat"},
    ),
    Framework(
        _LANGCHAIN_JS,
        "@traceloop/instrumentation-langchain 0.27.0",
        "js-traceloop",
        "@traceloop/instrumentation-langchain",
        _TRACELOOP,
    ),
    Framework(
        f"{_LANGCHAIN_JS} over OpenAI",
        "with @traceloop/instrumentation-openai 0.27.0",
        "js-traceloop-openai",
        "@traceloop/instrumentation-openai",
        _genai("chat"),
    ),
    Framework(
        _LANGCHAIN_JS,
        "@traceloop/node-server-sdk 0.27.0",
        "js-traceloop-sdk",
        "@traceloop/node-server-sdk",
        _TRACELOOP,
    ),
    Framework(
        "any program", "traceloop-sdk 0.62.4", "traceloop-sdk", "traceloop.tracer", _TRACELOOP
    ),
    Framework(
        _LANGCHAIN, "langsmith 0.14.17", "langsmith", "langsmith", {"langsmith.span.kind": "llm"}
    ),
    Framework(
        _LANGCHAIN,
        "logfire 5.2.0 with langsmith 0.15.0",
        "logfire",
        "langsmith",
        {"langsmith.span.kind": "llm"},
    ),
    Framework("OpenAI SDK", "logfire 5.2.0", "logfire-openai", "logfire.openai", _genai("chat")),
    Framework(
        "Anthropic SDK", "logfire 5.2.0", "logfire-anthropic", "logfire.anthropic", _genai("chat")
    ),
    Framework(
        "OpenAI Agents",
        "logfire 5.2.0",
        "logfire-openai-agents",
        "logfire.openai_agents",
        {"logfire.span_type": "span"},
    ),
    Framework(
        "PydanticAI", "logfire 5.2.0", "logfire-pydantic-ai", "pydantic-ai", _genai("invoke_agent")
    ),
    Framework(
        _LANGCHAIN,
        "opentelemetry-instrumentation-genai-langchain 1.3b0",
        "otel-genai",
        "opentelemetry.instrumentation.genai.langchain",
        _genai("chat"),
    ),
    Framework(
        f"{_LANGCHAIN} over OpenAI",
        "with opentelemetry-instrumentation-genai-openai 1.3b0, log events",
        "otel-genai-openai-events",
        "opentelemetry.instrumentation.genai.openai",
        _genai("chat"),
    ),
    Framework(
        "OpenAI SDK",
        "opentelemetry-instrumentation-openai-v2 2.4b0",
        "otel-openai-v2",
        "opentelemetry.instrumentation.openai_v2",
        _genai("chat"),
    ),
    Framework(
        _LANGCHAIN,
        "mlflow-skinny 3.17.2",
        "mlflow",
        "mlflow.tracing.provider",
        {"mlflow.spanType": '"CHAT_MODEL"'},
    ),
    Framework(
        _LANGCHAIN,
        "mlflow-skinny 3.17.2, GenAI mode",
        "mlflow-genai",
        "mlflow.tracing.provider",
        _genai("CHAIN"),
    ),
    Framework(
        "OpenAI Agents",
        "mlflow-skinny 3.17.2",
        "other-openai-agents-mlflow",
        "mlflow.tracing.provider",
        {"mlflow.spanType": '"AGENT"'},
    ),
    Framework(
        "LlamaIndex",
        "mlflow-skinny 3.17.2",
        "other-llamaindex-mlflow",
        "mlflow.tracing.provider",
        {"mlflow.spanType": '"AGENT"'},
    ),
    Framework(
        "OpenAI SDK, PydanticAI, AutoGen, DSPy, Strands",
        "mlflow-skinny 3.17.2",
        "other-sdks-mlflow",
        "mlflow.tracing.provider",
        {"mlflow.spanType": '"AGENT"'},
    ),
    Framework(
        _LANGCHAIN,
        "langfuse 5.0.4",
        "langfuse",
        "langfuse-sdk",
        {"langfuse.observation.type": "generation"},
    ),
    Framework(
        "OpenAI SDK, any program",
        "langfuse 5.0.4, drop-in client and decorators",
        "other-openai-langfuse",
        "langfuse-sdk",
        {"langfuse.observation.type": "generation"},
    ),
    Framework(
        "OpenAI SDK, any program, LangChain.js",
        "@langfuse/otel, tracing, openai, langchain 5.11.1",
        "js-langfuse",
        "langfuse-sdk",
        {"langfuse.observation.type": "generation"},
    ),
    Framework(
        _LANGCHAIN, "openlit 1.45.0", "openlit", "openlit.instrumentation.langchain", _genai("chat")
    ),
    Framework(
        "OpenAI Agents, Agno, smolagents, Haystack, Anthropic SDK",
        "openlit 1.45.0",
        "other-frameworks-openlit",
        "openlit.instrumentation.openai_agents",
        _genai("invoke_agent"),
    ),
    Framework(
        _LANGCHAIN,
        "cozeloop 0.1.28, JSON ingestion",
        "cozeloop",
        marks={"cozeloop.span_type": "model"},
    ),
    Framework(
        _LANGCHAIN_JS,
        "@cozeloop/langchain 0.0.3",
        "js-cozeloop",
        marks={"cozeloop.span_type": "model"},
    ),
    Framework(
        "Eino",
        "eino-ext/callbacks/apmplus, eino 0.9.13",
        "eino-apmplus",
        "github.com/cloudwego/eino-ext/callbacks/apmplus",
        {"runinfo.component": "ChatModel"},
    ),
    Framework(
        "Eino",
        "eino-ext/callbacks/cozeloop, eino 0.9.13, JSON ingestion",
        "eino-cozeloop",
        marks={"cozeloop.tag.eino_run_info_component": "ChatModel"},
    ),
    Framework(
        "Eino",
        "eino-ext/callbacks/langfuse, eino 0.9.13, JSON ingestion",
        "eino-langfuse",
        "langfuse-ingestion",
        {"langfuse.ingestion.sdk_version": "eino"},
    ),
    _openinference("OpenAI Agents", "2.6.0", "other-openai-agents-openinference", "openai_agents"),
    Framework(
        "OpenAI Agents",
        "opentelemetry-instrumentation-openai-agents 0.62.4",
        "other-openai-agents-traceloop",
        "opentelemetry.instrumentation.openai_agents",
        {"traceloop.span.kind": "agent", **_genai("invoke_agent")},
    ),
    Framework(
        "PydanticAI",
        "pydantic-ai-slim 2.68.0",
        "other-pydantic-ai",
        "pydantic-ai",
        _genai("invoke_agent"),
    ),
    Framework(
        "Vercel AI SDK 6",
        "ai 6.0.326",
        "other-vercel-ai-6",
        "ai",
        {"ai.operationId": "ai.toolCall"},
    ),
    Framework(
        "Vercel AI SDK 7",
        "ai 7.0.173, @ai-sdk/otel 1.0.173",
        "other-vercel-ai-7",
        "gen_ai",
        _genai("agent_step"),
    ),
    Framework(
        "Google ADK",
        "google-adk 2.13.0",
        "other-google-adk",
        "gcp.vertex.agent",
        _genai("invoke_agent"),
    ),
    _openinference("CrewAI", "1.1.21", "other-crewai-openinference", "crewai", crew_key="k"),
    Framework(
        "CrewAI",
        "opentelemetry-instrumentation-crewai 0.62.4",
        "other-crewai-traceloop",
        "opentelemetry.instrumentation.crewai.instrumentation",
        {"traceloop.span.kind": "agent", "crewai.agent.role": "r"},
    ),
    Framework(
        "LlamaIndex",
        "opentelemetry-instrumentation-llamaindex 0.62.4",
        "other-llamaindex-traceloop",
        "opentelemetry.instrumentation.llamaindex",
        _TRACELOOP,
    ),
    Framework(
        "Agno",
        "opentelemetry-instrumentation-agno 0.62.4",
        "other-agno-traceloop",
        "opentelemetry.instrumentation.agno",
        {"traceloop.span.kind": "agent"},
    ),
    Framework(
        "Haystack",
        "its own tracing, and opentelemetry-instrumentation-haystack 0.62.4",
        "other-haystack-traceloop",
        "haystack",
    ),
    _openinference("LlamaIndex", "4.6.1", "other-llamaindex-openinference", "llama_index"),
    _openinference("smolagents", "0.1.43", "other-smolagents-openinference", "smolagents"),
    Framework(
        "Microsoft Agent Framework",
        "agent-framework-core 1.23.0",
        "other-agent-framework",
        "agent_framework",
        _genai("invoke_agent"),
    ),
    Framework(
        "AutoGen",
        "autogen-agentchat 0.7.5",
        "other-autogen",
        "autogen-core",
        _genai("invoke_agent", **{"gen_ai.system": "autogen"}),
    ),
    Framework(
        "Strands",
        "strands-agents 1.62.0",
        "other-strands",
        "strands.telemetry.tracer",
        _genai("invoke_agent", **{"gen_ai.system": "strands-agents"}),
    ),
    _openinference("AutoGen", "0.1.22", "other-autogen-openinference", "autogen_agentchat"),
    _openinference("Google ADK", "1.0.5", "other-google-adk-openinference", "google_adk"),
    Framework(
        "Vercel AI SDK 6",
        "@arizeai/openinference-vercel 2.8.1",
        "other-vercel-ai-6-openinference",
        "ai",
        {"openinference.span.kind": "LLM", "ai.operationId": "ai.generateText"},
    ),
    _openinference("Agno", "1.0.15", "other-agno-openinference", "agno"),
    _openinference("DSPy", "0.1.48", "other-dspy-openinference", "dspy"),
    _openinference("Haystack", "0.1.46", "other-haystack-openinference", "haystack"),
    Framework(
        "OpenAI and Anthropic SDKs, MCP tools",
        "traceloop-sdk 0.62.4, opentelemetry-instrumentation-mcp 0.62.4",
        "other-openllmetry-sdks",
        "opentelemetry.instrumentation.anthropic",
        _genai("chat"),
    ),
    Framework(
        "LiteLLM",
        "litellm 1.106.2",
        "other-litellm",
        "litellm",
        _genai("chat", **{"litellm.call_id": "c"}),
    ),
    Framework(
        "Spring AI",
        "Spring AI 2.0.1, Spring Boot 4.1.1",
        "other-spring-ai",
        "org.springframework.boot",
        _genai("framework", **{"spring.ai.kind": "chat_client"}),
    ),
    Framework(
        "Spring AI",
        "Spring AI 1.1.0, Spring Boot 3.5.7",
        "other-spring-ai-1",
        "org.springframework.boot",
        _genai("framework", **{"spring.ai.kind": "chat_client"}),
    ),
)


def every_framework() -> Sequence[Framework]:
    """Return ``FRAMEWORKS``, then frameworks of captures that name one with its ``emitter``."""
    listed = {one.folder for one in FRAMEWORKS}
    others = [c for c in all_captures() if c.dialect not in listed and "framework" in c.truth]
    recorded = {
        c.dialect: Framework(c.truth["framework"], c.truth["emitter"], c.dialect) for c in others
    }
    return (*FRAMEWORKS, *recorded.values())
