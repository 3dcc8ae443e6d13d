-- Whether there are any content events; most stores have none, and then the query for events is skipped.
SELECT 1
FROM genai_events
LIMIT 1
