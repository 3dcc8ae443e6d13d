-- Current annotations after a slot, in the order of slots: the highest revision of each slot.
SELECT {columns}
FROM
(
    SELECT *
    FROM annotations
    WHERE {reach}
      AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
      AND ({scheme:String} = '' OR Scheme = {scheme:String})
      AND ({annotator:String} = '' OR Annotator = {annotator:String})
      AND (Project, TraceId, Scheme, Annotator, StepId) > ({after_project:String}, {after_trace:String}, {after_scheme:String},
          {after_annotator:String}, {after_step:String})
    ORDER BY Project, TraceId, Scheme, Annotator, StepId, Revision DESC, AtUnixMicro DESC, WriteId DESC
    LIMIT 1 BY Project, TraceId, Scheme, Annotator, StepId
)
WHERE AtUnixMicro >= {from_us:UInt64} AND AtUnixMicro < {before_us:UInt64}
ORDER BY Project, TraceId, Scheme, Annotator, StepId
LIMIT {limit:UInt64}
