// A LangChain.js agent with a scripted model, under OpenInference, sent by its own exporter.
// SPANLOOM_OTLP_HTTP is where the service listens. Prints what model and tool really did.
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createAgent } from "langchain";
import { z } from "zod";

const calls = [];
const tools = [];
const provider = new NodeTracerProvider({
  spanProcessors: [
    new BatchSpanProcessor(
      new OTLPTraceExporter({ url: `${process.env.SPANLOOM_OTLP_HTTP}/v1/traces` }),
    ),
  ],
});
provider.register();
new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks);

class ScriptedModel extends BaseChatModel {
  answers = [
    new AIMessage({
      content: "",
      tool_calls: [{ name: "head_count", args: { company: "Alpha" }, id: "call_1" }],
      usage_metadata: { input_tokens: 41, output_tokens: 7, total_tokens: 48 },
    }),
    new AIMessage({
      content: "Alpha has 100 people.",
      usage_metadata: { input_tokens: 63, output_tokens: 11, total_tokens: 74 },
    }),
  ];

  constructor() {
    super({});
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const message = this.answers[calls.length];
    const usage = message.usage_metadata;
    calls.push(["counter", usage.input_tokens, usage.output_tokens]);
    return {
      generations: [{ text: message.content, message }],
      llmOutput: {
        tokenUsage: {
          promptTokens: usage.input_tokens,
          completionTokens: usage.output_tokens,
          totalTokens: usage.total_tokens,
        },
      },
    };
  }
}

const headCount = tool(
  async () => {
    tools.push(["counter", "head_count", "100 people"]);
    return "100 people";
  },
  {
    name: "head_count",
    description: "Look up how many people work at a company.",
    schema: z.object({ company: z.string() }),
  },
);

const agent = createAgent({ model: new ScriptedModel(), tools: [headCount], name: "counter" });
await agent.invoke({ messages: [{ role: "user", content: "How many people work at Alpha?" }] });
await provider.shutdown();
console.log(JSON.stringify({ calls, tools }));
