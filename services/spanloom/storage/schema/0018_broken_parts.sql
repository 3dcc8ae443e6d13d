-- Parts that a failing disk has broken are set aside, however many there are: by default the engine
-- does not open a table with more than 100 of them. Nothing is deleted; `spanloom doctor` tells.

ALTER TABLE otel_traces
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE genai_events
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE trace_changes
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE trace_arrivals
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE trace_progress
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE extraction_watermark
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE trajectories
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE trajectory_list
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE steps
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE call_index
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE conversation_members
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE replays
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE access_keys
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE deletions
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE deleted_traces
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;

ALTER TABLE schema_migrations
    MODIFY SETTING max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000;
