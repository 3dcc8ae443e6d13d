"""Sends one question to an agent of AutoGen."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


async def main() -> None:
    model = OpenAIChatCompletionClient(model="gpt-4o-mini")
    agent = AssistantAgent("forecaster", model, tools=[weather], reflect_on_tool_use=True)
    await agent.run(task="What is the weather in Oslo?")


asyncio.run(main())
