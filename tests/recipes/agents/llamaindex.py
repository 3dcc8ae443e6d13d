"""Sends one question to an agent of LlamaIndex."""

import asyncio
import os

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai import OpenAI


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


async def main() -> None:
    model = OpenAI(model="gpt-4o-mini", api_base=os.environ["OPENAI_BASE_URL"])
    agent = FunctionAgent(name="forecaster", tools=[weather], llm=model, streaming=False)
    await agent.run("What is the weather in Oslo?")


asyncio.run(main())
