"""Logfire: its client instrumentations and the frameworks that it instruments."""

from spanloom.core.dialects.logfire.dialect import Logfire
from spanloom.core.dialects.logfire.openai_agents import LogfireOpenAIAgents

DIALECTS = (
    LogfireOpenAIAgents(),
    Logfire(),
)
