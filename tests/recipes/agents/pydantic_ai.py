"""Sends one question to an agent of PydanticAI."""

from pydantic_ai import Agent as PydanticAgent

agent = PydanticAgent("openai-chat:gpt-4o-mini", name="forecaster")


@agent.tool_plain
def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


agent.run_sync("What is the weather in Oslo?")
