"""The Vercel AI SDK: versions up to 6, and version 7 with the GenAI conventions."""

from spanloom.core.dialects.vercel_ai.dialect import VercelAI
from spanloom.core.dialects.vercel_ai.genai import VercelAIGenAI

DIALECTS = (
    VercelAI(),
    VercelAIGenAI(),
)
