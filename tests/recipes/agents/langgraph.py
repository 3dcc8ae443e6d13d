"""Sends one question to an agent of LangChain."""

from langchain.agents import create_agent
from langchain_core.tools import tool


@tool
def weather(city: str) -> str:
    """Tell the weather in a city."""
    return {"Oslo": "sunny, 7 degrees"}[city]


agent = create_agent("openai:gpt-4o-mini", [weather], name="forecaster")
question = {"messages": [{"role": "user", "content": "What is the weather in Oslo?"}]}
agent.invoke(question, globals().get("config"))  # defined by Langfuse's recipe alone
