"""Microsoft Agent Framework."""

from spanloom.core.dialects.agent_framework.dialect import AgentFramework

DIALECTS = (AgentFramework(),)
