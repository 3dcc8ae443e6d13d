"""Sends one question to an agent of Strands."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel


@tool
def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


agent = Agent(
    name="forecaster",
    model=OpenAIModel(model_id="gpt-4o-mini"),
    tools=[weather],
    callback_handler=None,
)
agent("What is the weather in Oslo?")
