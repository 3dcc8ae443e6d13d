-- Whether there are content events at all: most stores have none, and need not look for them.
SELECT 1
FROM genai_events
LIMIT 1
