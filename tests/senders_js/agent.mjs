// A team of LangChain.js agents with scripted models, under OpenInference, sent by its own exporter.
// SPANLOOM_OTLP_HTTP is where the service listens. Prints what models and tools really did, in the
// form that tests/support/team.py tells.
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createAgent } from "langchain";
import { z } from "zod";

const question = "How many people work at both together?";
const calls = [];
const tools = [];
const exporter = new OTLPTraceExporter({ url: `${process.env.SPANLOOM_OTLP_HTTP}/v1/traces` });
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
provider.register();
new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks);

// Answers one after the other: [tokens read, tokens written, what it says or the tools it calls].
class ScriptedModel extends BaseChatModel {
  constructor(owner, answers) {
    super({});
    this.owner = owner;
    this.answers = answers;
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const [read, written, answer] = this.answers.shift();
    const message = asMessage(answer, this.owner === "planner");
    const total = read + written;
    message.usage_metadata = { input_tokens: read, output_tokens: written, total_tokens: total };
    calls.push([this.owner, read, written, textsOf(answer)]);
    const tokenUsage = { promptTokens: read, completionTokens: written, totalTokens: total };
    return { generations: [{ text: message.content, message }], llmOutput: { tokenUsage } };
  }
}

// Tool calls are parsed; LangChain's OpenAI package also gives them as they came, which is where the
// instrumentation looks for them, other packages do not.
function asMessage(answer, likeOpenAI) {
  if (typeof answer === "string") return new AIMessage(answer);
  const parsed = answer.map(([name, args], n) => ({ id: `call_${name}_${n}`, name, args }));
  const came = parsed.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return new AIMessage({
    content: "",
    tool_calls: parsed,
    additional_kwargs: likeOpenAI ? { tool_calls: came } : {},
  });
}

function textsOf(answer) {
  if (typeof answer === "string") return [answer];
  return answer.flatMap(([name, args]) => [name, ...Object.values(args).map(String)]);
}

function recordedTool(owner, name, description, fields, run) {
  const recorded = async (args) => {
    const result = await run(args);
    tools.push([owner, name, Object.values(args).map(String), result]);
    return result;
  };
  return tool(recorded, { name, description, schema: z.object(fields) });
}

const staff = { Alpha: "100 people", Beta: "120 people" };
const headCount = recordedTool(
  "researcher",
  "head_count",
  "Look up how many people work at a company.",
  { company: z.string() },
  async ({ company }) => staff[company],
);
const researcher = createAgent({
  name: "researcher",
  tools: [headCount],
  model: new ScriptedModel("researcher", [
    [31, 27, Object.keys(staff).map((company) => ["head_count", { company }])],
    [53, 17, "Alpha has 100 people and Beta has 120."],
  ]),
});

const askResearcher = recordedTool(
  "planner",
  "ask_researcher",
  "Let the researcher find something out.",
  { question: z.string() },
  async ({ question: content }) => {
    const found = await researcher.invoke({ messages: [{ role: "user", content }] });
    return found.messages.at(-1).content;
  },
);
const add = recordedTool(
  "planner",
  "add",
  "Add two numbers.",
  { a: z.number(), b: z.number() },
  async ({ a, b }) => String(a + b),
);
const planner = createAgent({
  name: "planner",
  tools: [askResearcher, add],
  model: new ScriptedModel("planner", [
    [29, 18, [["ask_researcher", { question: "How many people work at Alpha? At Beta?" }]]],
    [48, 19, [["add", { a: 100, b: 120 }]]],
    [58, 16, "Together the two companies have 220 people."],
  ]),
});

await planner.invoke({ messages: [{ role: "user", content: question }] });
await provider.shutdown();
console.log(JSON.stringify({ question, calls, tools }));
