-- For a trace id without a project, as in trajectories.

ALTER TABLE deleted_traces
    ADD INDEX IF NOT EXISTS trace_id_hash cityHash64(TraceId) TYPE bloom_filter(0.01) GRANULARITY 1;
