"""OpenLLMetry (Traceloop): the convention, its SDK, and how each instrumentation uses it.

Input: spans in OpenLLMetry's scopes, with ``traceloop.…`` or ``gen_ai.…`` attributes. Output:
classifications and facts. Start with ``dialect.py``, which the modules of frameworks extend;
``js.py`` is for JavaScript.
"""

from spanloom.core.dialects.traceloop.agents import TraceloopAgents
from spanloom.core.dialects.traceloop.agno import TraceloopAgno
from spanloom.core.dialects.traceloop.crewai import TraceloopCrewAI
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.dialects.traceloop.js import TraceloopJS
from spanloom.core.dialects.traceloop.llamaindex import TraceloopLlamaIndex
from spanloom.core.dialects.traceloop.mcp import TraceloopMCP
from spanloom.core.dialects.traceloop.sdk import TraceloopSDK

DIALECTS = (
    TraceloopSDK(),
    TraceloopAgents(),
    TraceloopCrewAI(),
    TraceloopLlamaIndex(),
    TraceloopAgno(),
    TraceloopMCP(),
    TraceloopJS(),
    Traceloop(),
)
