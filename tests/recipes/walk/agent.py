"""Plans a trip with an agent whose weather service fails at first."""

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool

asked = []


@tool
def weather(city: str) -> str:
    """Tell the weather in a city."""
    asked.append(city)
    if len(asked) == 1:
        raise ConnectionError("the weather service does not answer")
    return "sunny, 7 degrees"


@tool
def book_hotel(city: str, nights: int) -> str:
    """Book a hotel."""
    return f"{nights} nights in {city}"


@wrap_tool_call
def tell_the_model(request, handler):
    """Return the error's message as the tool's result, so that the model can try again."""
    try:
        return handler(request)
    except ConnectionError as error:
        said = f"Failed: {error}"
        return ToolMessage(said, tool_call_id=request.tool_call["id"], status="error")


agent = create_agent(
    "openai:gpt-4o-mini", [weather, book_hotel], middleware=[tell_the_model], name="planner"
)
agent.invoke({"messages": [{"role": "user", "content": "What is the weather in Oslo?"}]})
