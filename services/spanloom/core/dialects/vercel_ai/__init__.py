"""The Vercel AI SDK: version 6 and its successor on GenAI conventions."""

from spanloom.core.dialects.vercel_ai.dialect import VercelAI
from spanloom.core.dialects.vercel_ai.genai import VercelAIGenAI

DIALECTS = (
    VercelAI(),
    VercelAIGenAI(),
)
