"""Sends one question to an agent of Agno."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat


def weather(city: str) -> str:
    """Tell the weather in a city.

    Args:
        city: Name of the city.
    """
    return {"Oslo": "sunny, 7 degrees"}[city]


agent = Agent(
    name="forecaster", model=OpenAIChat(id="gpt-4o-mini"), tools=[weather], telemetry=False
)
agent.run("What is the weather in Oslo?")
