"""Keys with the same meaning: of texts, counts, ids, and names of models, tools and agents.

The first key with a value is used.
"""

USAGES = ("usage", "usage_metadata", "usageMetadata", "token_usage", "gen_ai.usage", "llm.usage")
"""Keys of a JSON object with token counts, as attributes or as members of a response."""
CALL_INPUTS = (
    *("gen_ai.input.messages", "gen_ai.request.messages", "llm.request.messages"),
    *("ai.prompt.messages", "gen_ai.prompt", "gen_ai.prompts", "llm.prompts", "llm.prompt"),
    *("llm.input_messages", "ai.prompt", "input.messages", "lk.chat_ctx", "genkit:input"),
    *("traceloop.entity.input", "lmnr.span.input", "input.value", "messages", "prompt", "input"),
)
CALL_OUTPUTS = (
    *("gen_ai.output.messages", "gen_ai.response.messages", "gen_ai.completion"),
    *("gen_ai.completions", "gen_ai.response.text", "gen_ai.response.object", "llm.completions"),
    *("llm.output_messages", "llm.response", "llm.completion", "ai.response.text"),
    *("ai.response.object", "output.messages", "lk.response.text", "genkit:output"),
    *("traceloop.entity.output", "lmnr.span.output", "output.value", "completion", "response"),
    "output",
)
CALLS_IN_ANSWER = (
    *("gen_ai.response.tool_calls", "ai.response.toolCalls", "llm.response.tool_calls"),
    "lk.response.function_calls",
)
TOOL_INPUTS = (
    *("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "gen_ai.tool.input"),
    *("gen_ai.tool.args", "gen_ai.retrieval.query.text", "ai.toolCall.args", "ai.toolCall.input"),
    "gen_ai.memory.query.text",
    *("tool.arguments", "tool.parameters", "tool.input", "tool.args", "tool_arguments"),
    *("tool_input", "function.arguments", "lk.function_tool.arguments", "genkit:input"),
    *("traceloop.entity.input", "lmnr.span.input", "input.value", "arguments", "input"),
)
TOOL_OUTPUTS = (
    *("gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.tool.output"),
    *("gen_ai.retrieval.documents", "ai.toolCall.result", "ai.toolCall.output", "tool.result"),
    *("tool.output", "tool_response", "tool_output", "function.result", "lk.function_tool.output"),
    *("genkit:output", "traceloop.entity.output", "lmnr.span.output", "output.value", "result"),
    "output",
)
TOOL_NAMES = (
    *("gen_ai.tool.name", "tool.name", "tool_name", "ai.toolCall.name"),
    *("lk.function_tool.name", "mcp.tool.name", "function.name", "genkit:name"),
    "traceloop.entity.name",
)
TOOL_MARKS = frozenset(TOOL_NAMES[:6])
"""The keys of ``TOOL_NAMES`` that only spans of tools have."""
TOOL_CALL_IDS = (
    *("gen_ai.tool.call.id", "tool_call.id", "tool.call_id", "tool_call_id", "ai.toolCall.id"),
    "lk.function_tool.id",
)
AGENT_INPUTS = (
    *("gen_ai.input.messages", "gen_ai.request.messages", "gen_ai.prompt", "ai.prompt"),
    *("genkit:input", "lk.user_input", "traceloop.entity.input", "lmnr.span.input"),
    "input",
)
AGENT_OUTPUTS = (
    *("gen_ai.output.messages", "gen_ai.completion", "gen_ai.response.text", "ai.response.text"),
    *("genkit:output", "lk.response.text", "traceloop.entity.output", "lmnr.span.output", "output"),
)
AGENT_NAMES = ("gen_ai.agent.name", "agent.name", "agent_name", "lk.agent_name", "genkit:name")
MODELS = (
    *("gen_ai.response.model", "gen_ai.request.model", "gen_ai.model_name", "gen_ai.model"),
    *("llm.response.model", "llm.request.model"),
    *("llm.model_name", "llm.model", "ai.response.model", "ai.model.id", "model_name", "model"),
    "genkit:name",
)
CONVERSATIONS = (
    "gen_ai.conversation.id",
    "langfuse.session.id",
    "gen_ai.session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "langsmith.metadata.conversation_id",
    "ai.telemetry.metadata.conversationId",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.session_id",
    "ai.telemetry.metadata.threadId",
    "mlflow.trace.session",
    "cozeloop.tag.thread_id",
    "cozeloop.tag.session_id",
    "conversation.id",
    "conversation_id",
)
"""Keys of a conversation id, on spans of any kind. ``session.id`` may be a browser session."""
SESSIONS = ("gen_ai.conversation.id", "session.id", "gen_ai.session.id")
"""Keys of a conversation id on unknown senders' steps; ``session.id`` is no browser session."""
OTHER_CONVENTIONS = (
    *("http", "url", "db", "rpc", "net", "network", "server", "client", "messaging", "code"),
    *("exception", "thread", "process", "host", "faas", "aws", "k8s", "user", "enduser", "otel"),
    *("error", "log", "metadata", "session", "device", "browser", "tls", "ssh", "websocket"),
    *("jvm", "os", "system", "hw", "container", "cloud", "prefect", "airflow", "dagster", "cicd"),
)
"""First words of keys that describe machines, services and jobs, not agents."""
MAX_KEY_CHARS = 100
"""Longer keys are not searched for words."""
FLOW_PREFIXES = ("lk.", "genkit:")
"""Prefixes of keys of frameworks whose spans have fixed names in place of an operation."""
