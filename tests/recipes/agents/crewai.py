"""Sends one question to a crew of one agent."""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool


@tool("weather")
def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


agent = Agent(
    role="forecaster",
    goal="Tell the weather",
    backstory="You know it.",
    tools=[weather],
    llm=LLM(model="openai/gpt-4o-mini"),
)
task = Task(description="What is the weather in Oslo?", expected_output="A sentence.", agent=agent)
Crew(agents=[agent], tasks=[task]).kickoff()
