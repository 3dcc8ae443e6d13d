// Asks an agent of LangChain.js once.
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { z } from "zod";

const weather = tool(({ city }) => ({ Oslo: "sunny, 7 degrees" })[city], {
  name: "weather",
  description: "Tell the weather in a city.",
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({ name: "forecaster", model: "openai:gpt-4o-mini", tools: [weather] });
await agent.invoke({ messages: [{ role: "user", content: "What is the weather in Oslo?" }] });
await sdk.shutdown();
