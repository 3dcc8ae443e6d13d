"""Sends one question to an agent of AG2."""

import asyncio

from ag2 import Agent, tool
from ag2.config import OpenAIConfig


@tool
def weather(city: str) -> str:
    """Tell the weather in a city.

    Args:
        city: Name of the city.
    """
    return {"Oslo": "sunny, 7 degrees"}[city]


telemetry = globals()["TelemetryMiddleware"](agent_name="forecaster")  # defined by the recipe
config = OpenAIConfig(model="gpt-4o-mini")
agent = Agent("forecaster", config=config, tools=[weather], middleware=[telemetry])
asyncio.run(agent.ask("What is the weather in Oslo?"))
