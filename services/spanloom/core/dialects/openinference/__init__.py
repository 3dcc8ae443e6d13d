"""OpenInference: the convention, and how each framework's instrumentation uses it.

Input: spans with ``openinference.span.kind``. Output: classifications and facts. Start with
``dialect.py``, which the module of each framework extends; ``overlay.py`` reads spans of other
conventions to which OpenInference added its attributes.
"""

from spanloom.core.dialects.openinference.agno import OpenInferenceAgno
from spanloom.core.dialects.openinference.autogen import OpenInferenceAutoGen
from spanloom.core.dialects.openinference.crewai import OpenInferenceCrewAI
from spanloom.core.dialects.openinference.dialect import OpenInference
from spanloom.core.dialects.openinference.dspy import OpenInferenceDSPy
from spanloom.core.dialects.openinference.google_adk import OpenInferenceGoogleADK
from spanloom.core.dialects.openinference.haystack import OpenInferenceHaystack
from spanloom.core.dialects.openinference.llamaindex import OpenInferenceLlamaIndex
from spanloom.core.dialects.openinference.mastra import OpenInferenceMastra
from spanloom.core.dialects.openinference.openai_agents import OpenInferenceOpenAIAgents
from spanloom.core.dialects.openinference.overlay import OpenInferenceOverlay
from spanloom.core.dialects.openinference.smolagents import OpenInferenceSmolagents

DIALECTS = (
    OpenInferenceOpenAIAgents(),
    OpenInferenceCrewAI(),
    OpenInferenceLlamaIndex(),
    OpenInferenceSmolagents(),
    OpenInferenceAgno(),
    OpenInferenceDSPy(),
    OpenInferenceHaystack(),
    OpenInferenceAutoGen(),
    OpenInferenceGoogleADK(),
    OpenInferenceMastra(),
    OpenInferenceOverlay(),
    OpenInference(),
)
