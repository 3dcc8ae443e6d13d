// Asks an agent of Mastra once.

import { createOpenAI } from "@ai-sdk/openai";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

const weather = createTool({
  id: "weather",
  description: "Tell the weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => "sunny, 7 degrees",
});
const forecaster = new Agent({
  id: "forecaster",
  name: "forecaster",
  instructions: "You tell the weather.",
  model: createOpenAI({ baseURL: process.env.OPENAI_BASE_URL }).chat("gpt-4o-mini"),
  tools: { weather },
});
const mastra = new Mastra({ agents: { forecaster }, observability });
await mastra.getAgent("forecaster").generate("What is the weather in Oslo?");
await observability.shutdown();
