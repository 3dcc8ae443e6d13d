"""Sends one question to an agent of the Microsoft Agent Framework."""

import asyncio

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient


def weather(city: str) -> str:
    """Tell the weather in a city.

    Args:
        city: Name of the city.
    """
    return {"Oslo": "sunny, 7 degrees"}[city]


client = OpenAIChatCompletionClient(model="gpt-4o-mini")
agent = Agent(client, name="forecaster", tools=[weather])
asyncio.run(agent.run("What is the weather in Oslo?"))
