-- Whether there are any content events: most stores have none, and then skip the query for them.
SELECT 1
FROM genai_events
LIMIT 1
