-- The stored traces that a deletion matches, each with the number of its arrived spans.
SELECT Project, TraceId, any(arrived) AS spans
FROM
(
    SELECT Project, TraceId
    FROM otel_traces
    WHERE Seq <= {until_seq:UInt64} AND {conversation_id:Nullable(String)} IS NULL
      AND {reach}
      AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
      AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
    UNION ALL
    -- Many senders omit a log record's time, so the start of a trace comes from its spans.
    SELECT Project, TraceId
    FROM genai_events
    WHERE RowVersion <= {until_seq:UInt64} AND {conversation_id:Nullable(String)} IS NULL
      AND {reach}
      AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
      AND ({start_before_ns:Nullable(UInt64)} IS NULL
           OR (TimeUnixNano > 0 AND TimeUnixNano < {start_before_ns:Nullable(UInt64)}
               AND (Project, TraceId) NOT IN (
                 SELECT Project, TraceId
                 FROM otel_traces
                 WHERE {reach}
                   AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
                   AND StartTimeUnixNano >= {start_before_ns:Nullable(UInt64)})))
    UNION ALL
    SELECT Project, TraceId
    FROM trajectories
    WHERE NewestSeq <= {until_seq:UInt64}
      AND ({conversation_id:Nullable(String)} IS NULL OR ConversationId = {conversation_id:Nullable(String)})
      AND {reach}
      AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
      AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
    UNION ALL
    -- The other traces of a run that this one shows (core/joining), as they are stored now.
    SELECT Project, TraceId
    FROM call_index
    WHERE StepId = {trace_id:Nullable(String)} AND startsWith(CallKey, 'part of ')
      AND {conversation_id:Nullable(String)} IS NULL
      AND {reach}
      AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
      AND (Project, TraceId, Version) IN (
        SELECT Project, TraceId, Version
        FROM trajectories FINAL
        WHERE NewestSeq <= {until_seq:UInt64} AND {reach} AND (Project, TraceId) IN (
          SELECT Project, TraceId FROM call_index
          WHERE StepId = {trace_id:Nullable(String)} AND startsWith(CallKey, 'part of ') AND {reach}))
    UNION ALL
    -- Annotations outlive retention. They match only by trace, because they lack its start time.
    SELECT Project, TraceId
    FROM annotations
    WHERE {conversation_id:Nullable(String)} IS NULL AND {start_before_ns:Nullable(UInt64)} IS NULL
      AND AtUnixMicro <= {until_seq:UInt64}
      AND {reach}
      AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
    UNION ALL
    -- So do scores, which also outlive retention, and may be stored before their run.
    SELECT Project, TraceId
    FROM scores
    WHERE {conversation_id:Nullable(String)} IS NULL AND {start_before_ns:Nullable(UInt64)} IS NULL
      AND TraceId != '' AND Revision <= {until_seq:UInt64}
      AND {reach}
      AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
) AS found
LEFT JOIN (SELECT Project, TraceId, sum(Spans) AS arrived FROM trace_requests GROUP BY Project, TraceId) AS arrivals
    USING (Project, TraceId)
GROUP BY Project, TraceId
