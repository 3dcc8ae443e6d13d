// An agent of LangChain.js that its caller gives up, by an AbortSignal.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as CallbackManagerModule from "@langchain/core/callbacks/manager";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { z } from "zod";

const [name, question, slow] = process.argv.slice(2);
const server = process.env.PAIRS_SERVER;
const traceExporter = new OTLPTraceExporter({ url: `${server}/v1/traces` });
const sdk = new NodeSDK({ traceExporter, instrumentations: [], autoDetectResources: false });
sdk.start();
new LangChainInstrumentation().manuallyInstrument(CallbackManagerModule);

const now = () => Date.now() * 1e6;
const tools = [];
const weather = tool(
  async ({ city }) => {
    const ran = { name: "get_weather", argument: city, from_ns: now(), outcome: "cancelled" };
    tools.push(ran);
    await new Promise((done) => setTimeout(done, city === slow ? 4000 : 20));
    Object.assign(ran, { to_ns: now(), outcome: "ok" });
    return `${city} is fine`;
  },
  { name: "get_weather", description: "get_weather", schema: z.object({ city: z.string() }) },
);
const configuration = { baseURL: `${server}/${name}/v1` };
const model = new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "none", maxRetries: 0, configuration });
const agent = createAgent({ name, model, tools: [weather], systemPrompt: `You are ${name}.` });

const stop = new AbortController();
setTimeout(() => {
  for (const given of tools) given.to_ns ??= now();
  stop.abort();
}, 2000);
const ran = { from_ns: now(), outcome: "cancelled" };
const messages = [{ role: "user", content: question }];
await agent.invoke({ messages }, { signal: stop.signal }).catch((error) => {
  ran.exception = `${error.name}: ${error.message}`;
});
await new Promise((done) => setTimeout(done, 500)); // the run's own span ends behind its exception
await sdk.shutdown();
console.log(JSON.stringify({ tools, runs: [ran] }));
process.exit();
