"""Sends one question to an agent of ADK."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


async def main() -> None:
    agent = LlmAgent(name="forecaster", model="gemini-2.5-flash", tools=[weather])
    await InMemoryRunner(agent).run_debug("What is the weather in Oslo?", quiet=True)


asyncio.run(main())
