// Asks an agent of the AI SDK once.
import { openai } from "@ai-sdk/openai";
import { ToolLoopAgent, tool } from "ai";
import { z } from "zod";

const weather = tool({
  description: "Tell the weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ Oslo: "sunny, 7 degrees" })[city],
});
const agent = new ToolLoopAgent({
  model: openai.chat("gpt-4o-mini"),
  telemetry: { functionId: "forecaster" },
  tools: { weather },
});
await agent.generate({ prompt: "What is the weather in Oslo?" });
await sdk.shutdown();
