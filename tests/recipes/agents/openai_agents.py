"""Sends one question to an agent of OpenAI's agent SDK."""

from agents import Agent, Runner, function_tool


@function_tool
def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


agent = Agent(name="forecaster", model="gpt-4o-mini", tools=[weather])
Runner.run_sync(agent, "What is the weather in Oslo?")
