"""What is stored of a span when no content is: an allow-list, in this one place.

An attribute whose key matches none of these patterns is taken for content and is not stored,
whoever sent it: a dialect that nobody here has seen can at worst lose structure, never keep a
text. ``*`` stands for any characters.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STRUCTURE: tuple[str, ...] = (
    # OpenTelemetry's resources and general conventions
    "service.*",
    "telemetry.*",
    "deployment.environment*",
    "host.arch",
    "host.id",
    "host.name",
    "os.type",
    "os.version",
    "process.pid",
    "process.runtime.*",
    "cloud.*",
    "k8s.*",
    "container.id",
    "container.name",
    "spanloom.project",
    "spanloom.redacted",
    "error.type",
    "exception.type",
    "exception.escaped",
    "server.address",
    "server.port",
    "http.request.method",
    "http.response.status_code",
    "http.status_code",
    "session.id",
    "user.id",
    # GenAI semantic conventions and their relatives
    "gen_ai.operation.name",
    "gen_ai.system",
    "gen_ai.provider.name",
    "gen_ai.environment",
    "gen_ai.application_name",
    "gen_ai.request.model",
    "gen_ai.request.max_tokens",
    "gen_ai.request.temperature",
    "gen_ai.request.top_?",
    "gen_ai.request.seed",
    "gen_ai.request.*_penalty",
    "gen_ai.request.choice.count",
    "gen_ai.request.stream",
    "gen_ai.is_streaming",
    "gen_ai.response.model",
    "gen_ai.response.id",
    "gen_ai.response.finish_reason",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.output.type",
    "gen_ai.agent.id",
    "gen_ai.agent.name",
    "gen_ai.agent.call.id",
    "gen_ai.agent.source",
    "gen_ai.agent.version",
    "gen_ai.conversation.id",
    "gen_ai.data_source.id",
    "gen_ai.component.class_name",
    "gen_ai.execution.mode",
    "gen_ai.framework.component.name",
    "gen_ai.framework.component.type",
    "gen_ai.graph.status",
    "gen_ai.sdk.version",
    "gen_ai.serialized.name",
    "gen_ai.span.kind",
    "gen_ai.task.id",
    "gen_ai.task.kind",
    "gen_ai.task.name",
    "gen_ai.task.parent.id",
    "gen_ai.task.status",
    "gen_ai.tool.call.id",
    "gen_ai.tool.name",
    "gen_ai.tool.status",
    "gen_ai.tool.type",
    "gen_ai.workflow.name",
    "gen_ai.workflow.nested",
    "gen_ai.prompt.*.role",
    "gen_ai.prompt.*.tool_calls.*.id",
    "gen_ai.prompt.*.tool_calls.*.name",
    "gen_ai.prompt.*.tool_call_id",
    "gen_ai.completion.*.role",
    "gen_ai.completion.*.finish_reason",
    "gen_ai.completion.*.tool_calls.*.id",
    "gen_ai.completion.*.tool_calls.*.name",
    "gen_ai.agno.team.agents",
    "gen_ai.graph.executed_nodes",
    "gen_ai.smolagents.step_number",
    # OpenInference
    "openinference.*",
    "agent.name",
    "graph.node.*",
    "embedding.model_name",
    "llm.finish_reason",
    "llm.is_streaming",
    "llm.model_name",
    "llm.provider",
    "llm.request.type",
    "llm.system",
    "llm.*_messages.*.message.role",
    "llm.*_messages.*.message.tool_call_id",
    "llm.*_messages.*.tool_call.id",
    "llm.*_messages.*.tool_call.function.name",
    "input.mime_type",
    "output.mime_type",
    "tool.agent_role",
    "tool.id",
    "tool.name",
    "tool_call.id",
    "agno.*.id",
    "agno.*.name",
    "agno.agent",
    "agno.team",
    "agno.step.*",
    # Traceloop
    "traceloop.entity.name",
    "traceloop.entity.path",
    "traceloop.span.kind",
    "traceloop.workflow.name",
    "traceloop.association.properties.langgraph_*",
    "traceloop.association.properties.lc_agent_name",
    "traceloop.association.properties.ls_*",
    "traceloop.association.properties.*checkpoint_ns",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.user_id",
    "crewai.agent.id",
    "crewai.agent.role",
    "crewai.agent.llm",
    "crewai.crew.id",
    "crewai.crew.name",
    "crewai.crew.process",
    "crewai.task.agent",
    "crewai.task.id",
    "crew_id",
    "crew_key",
    "task_id",
    "task_key",
    "flow_id",
    "flow.node.*",
    # Langfuse
    "langfuse.environment",
    "langfuse.release",
    "langfuse.version",
    "langfuse.ingestion.sdk_*",
    "langfuse.internal.is_app_root",
    "langfuse.observation.id",
    "langfuse.observation.name",
    "langfuse.observation.type",
    "langfuse.observation.level",
    "langfuse.observation.completion_start_time",
    "langfuse.observation.model.name",
    "langfuse.observation.prompt.*",
    "langfuse.trace.name",
    "langfuse.*.metadata.langgraph_*",
    "langfuse.*.metadata.lc_agent_name",
    "langfuse.*.metadata.ls_*",
    "langfuse.*.metadata.*checkpoint_ns",
    "langfuse.*.metadata.is_langchain_root",
    "langfuse.*.metadata.thread_id",
    "langfuse.*.metadata.tool_call_id",
    # LangSmith
    "langsmith.span.kind",
    "langsmith.trace.name",
    "langsmith.trace.session_*",
    "langsmith.metadata.langgraph_*",
    "langsmith.metadata.lc_agent_name",
    "langsmith.metadata.ls_*",
    "langsmith.metadata.*checkpoint_ns",
    "langsmith.metadata.model",
    "langsmith.metadata.model_name",
    "langsmith.metadata._type",
    "langsmith.metadata.__handoff_destination",
    # Coze Loop and Eino
    "cozeloop.span_type",
    "cozeloop.status_code",
    "cozeloop.stream",
    "cozeloop.workspace_id",
    "cozeloop.log_id",
    "cozeloop.start_time_first_resp",
    "cozeloop.system_tag.runtime",
    "cozeloop.tag.agent_name",
    "cozeloop.tag.agent_run_id",
    "cozeloop.tag.eino_run_info_*",
    "cozeloop.tag.latency_first_resp",
    "cozeloop.tag.model_name",
    "cozeloop.tag.model_provider",
    "cozeloop.tag.name",
    "cozeloop.tag.run_mode",
    "cozeloop.tag.runtime",
    "cozeloop.tag.stream",
    "cozeloop.tag.tool_call_id",
    "runinfo.*",
    # MLflow: JSON text
    "mlflow.llm.model",
    "mlflow.llm.provider",
    "mlflow.message.format",
    "mlflow.openai.agent_run_root",
    "mlflow.spanFunctionName",
    "mlflow.spanType",
    "mlflow.traceRequestId",
    # Vercel AI SDK
    "ai.model.*",
    "ai.operationId",
    "ai.response.finishReason",
    "ai.response.id",
    "ai.response.model",
    "ai.response.msToFinish",
    "ai.response.msToFirstChunk",
    "ai.telemetry.functionId",
    "ai.telemetry.metadata.sessionId",
    "ai.toolCall.id",
    "ai.toolCall.name",
    "operation.name",
    "resource.name",
    # Pydantic AI and Logfire
    "agent_name",
    "model_name",
    "logfire.level_num",
    "logfire.span_type",
    "sdk_span_type",
    # Spring AI
    "spring.ai.kind",
    "spring.ai.*.tool.names",
    "spring.ai.*.tool.function.names",
    "spring.ai.advisor.name",
    "spring.ai.advisor.order",
    "spring.ai.chat.client.conversation.id",
    "spring.ai.chat.client.stream",
    "spring.ai.tool.call.id",
    "spring.ai.tool.definition.name",
    "spring.ai.tool.type",
    # Haystack, AutoGen, Google ADK, Strands, Agent Framework, LiteLLM
    "haystack.component.name",
    "haystack.component.type",
    "haystack.component.fully_qualified_type",
    "haystack.component.visits",
    "gcp.vertex.agent.event_id",
    "gcp.vertex.agent.invocation_id",
    "participant_names",
    "handoffs",
    "messaging.operation",
    "messaging.destination",
    "messaging.message.type",
    "recipient_agent_*",
    "sender_agent_*",
    "event_loop.*cycle_id",
    "executor.id",
    "executor.type",
    "edge_group.*",
    "workflow.id",
    "workflow.name",
    "workflow_builder.name",
    "litellm.call_id",
    "litellm.provider.model",
)
"""Attributes that are stored as they came: names, models, identifiers, kinds, numbers."""

EVENTS: tuple[str, ...] = ("exception", "gen_ai.*", "ai.stream.*", "new_token", "mlflow.chunk.*")
"""Names of span events that are stored; their attributes follow the lists above."""

CONTENT: tuple[str, ...] = (
    "gen_ai.usage.*",
    "gen_ai.aggregated_usage.*",
    "gen_ai.input*",
    "gen_ai.output*",
    "gen_ai.prompt*",
    "gen_ai.completion*",
    "gen_ai.task.input",
    "gen_ai.task.output",
    "gen_ai.tool.call.*",
    "gen_ai.workflow.*",
    "gen_ai.graph.*",
    "input",
    "input.value",
    "output",
    "output.value",
    "llm.*_messages.*",
    "llm.token_count.*",
    "llm.usage.*",
    "llm.invocation_parameters",
    "llm.*.usage",
    "llm.prompt_template.*",
    "metadata.usage_object",
    "metadata",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "langfuse.*.input",
    "langfuse.*.output",
    "langfuse.*.usage_details",
    "langsmith.metadata.usage_metadata",
    "cozeloop.input",
    "cozeloop.output",
    "cozeloop.tag.*tokens",
    "mlflow.chat.tokenUsage",
    "mlflow.spanInputs",
    "mlflow.spanOutputs",
    "ai.prompt*",
    "ai.response.text",
    "ai.response.toolCalls",
    "ai.response.providerMetadata",
    "ai.toolCall.*",
    "ai.usage.*",
    "usage",
    "request_data",
    "response_data",
    "spring.ai.tool.call.*",
    "tool.*",
)
"""Attributes of which the skeleton is stored: JSON with the fields below, its texts replaced by
stand-ins that tell nothing but whether two were equal."""

NUMBERS: tuple[str, ...] = (
    "*.usage.*",
    "*.aggregated_usage.*",
    "*.cost.*",
    "*.token_count.*",
    "*.tag.*tokens",
    "*.duration",
    "ai.settings.maxRetries",
    "operation.cost",
)
"""Attributes that are stored if they are numbers."""

FAILURES: tuple[str, ...] = (
    "error",
    "error.message",
    "exception.message",
    "langfuse.*.status_message",
    "cozeloop.tag.error",
)
"""Texts of failures: of them the exception's class and the status code are stored."""

COUNTS = _words(
    """
    input output total reasoning audio cache_read cache_creation input_cache_read
    input_cache_creation output_reasoning input_cached_tokens cached_tokens cachedInputTokens
    output_reasoning_tokens reasoning_tokens reasoningTokens prompt_tokens input_tokens
    promptTokens inputTokens completion_tokens output_tokens completionTokens outputTokens
    total_tokens totalTokens cache_read_input_tokens cache_creation_input_tokens
    cache_write_tokens audio_tokens accepted_prediction_tokens rejected_prediction_tokens
    cache_read_tokens textTokens noCacheTokens cacheReadTokens cacheWriteTokens
    PromptTokens CompletionTokens TotalTokens CachedTokens ReasoningTokens
    """
)
"""Fields of JSON whose numbers are stored."""

NAMED = _words(
    """
    finish_reason finishReason lc_agent_name langgraph_node langgraph_step langgraph_path
    langgraph_triggers langgraph_checkpoint_ns checkpoint_ns ls_integration ls_model_name
    ls_model_type ls_provider thread_id tool_name current_agent_name model model_name Model model_id
    """
)
"""Fields of JSON whose names, models and identifiers are stored."""

FIELDS = (
    COUNTS
    | NAMED
    | _words(
        """
    lc type id kwargs role content parts messages message Message Messages text
    tool_calls tool_call_id tool_call function function_call function_tool_call toolCalls name
    args arguments result response response_meta response_metadata usage usage_metadata
    token_usage tokenUsage TokenUsage llm_output llmOutput generations generation_info
    generationInfo additional_kwargs input_token_details output_token_details
    prompt_tokens_details completion_tokens_details prompt_token_details completion_token_details
    input_tokens_details output_tokens_details inputTokenDetails outputTokenDetails
    PromptTokenDetails PromptTokensDetails CompletionTokensDetails
    inputs outputs metadata tags choices stream delta Events Config Query Texts Variables Input
    Output tool_output raw_output blocks content_blocks ev details response_id
    lg_name update goto graph openai data
    """
    )
)
"""Fields of JSON that are stored; all others are the application's own."""

IDS = frozenset({"id", "response_id", "tool_call_id"})
"""Fields of JSON whose texts are stored if they look like what a model's client makes."""

WORDS = _words(
    """
    user assistant system tool human ai developer model function constructor langchain
    langchain_core schema messages HumanMessage AIMessage AIMessageChunk ToolMessage SystemMessage
    HumanMessageChunk ToolMessageChunk text tool_call tool_calls tool-call tool_use tool_result
    stop end_turn length Command
    """
)
"""Texts in JSON that are stored wherever they stand."""
