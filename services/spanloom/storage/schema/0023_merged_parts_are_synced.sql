-- A merge writes a new part, and its sources, which were synced, are removed soon after. By default the
-- new one is not synced: until the system writes it back, half a minute later, a power loss takes
-- spans that were acknowledged, and stored, long before. Mutations write parts likewise.

ALTER TABLE access_keys MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE call_index MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE conversation_members MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE deleted_traces MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE deletions MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE extraction_progress MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE extraction_watermark MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE genai_events MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE otel_traces MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE replays MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE schema_migrations MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE steps MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE trace_arrivals MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE trace_changes MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE trajectories MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE trajectory_list MODIFY SETTING min_rows_to_fsync_after_merge = 1;
