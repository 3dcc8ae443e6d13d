"""Sends one question to an agent of smolagents."""

from smolagents import OpenAIServerModel, ToolCallingAgent, tool


@tool
def weather(city: str) -> str:
    """Tell the weather in a city.

    Args:
        city: Name of the city.
    """
    return {"Oslo": "sunny, 7 degrees"}[city]


model = OpenAIServerModel("gpt-4o-mini")
agent = ToolCallingAgent(tools=[weather], model=model, name="forecaster")
agent.run("What is the weather in Oslo?", max_steps=1)  # the script never calls `final_answer`
