"""The Vercel AI SDK: version 6 and its successor on GenAI conventions."""
