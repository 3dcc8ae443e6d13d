-- Texts that match the search, of any version; current_texts.sql selects those of current versions.
SELECT Project, TrajectoryStart, TraceId, StepId, toInt8(Part) AS Place, Hash
FROM step_texts
WHERE {reach}
  AND {text}
  AND Part IN JSONExtract({parts:String}, 'Array(String)')
  AND TrajectoryStart >= {from_ns:UInt64} AND TrajectoryStart < {before_ns:UInt64}
  AND ({after_start_ns:Nullable(UInt64)} IS NULL
       OR (TrajectoryStart <= {after_start_ns:Nullable(UInt64)}
           AND (TrajectoryStart, TraceId, Project, StepId, toInt8(Part))
               < (assumeNotNull({after_start_ns:Nullable(UInt64)}), {after_trace_id:String}, {after_project:String},
                  {after_step_id:UInt64}, {after_place:Int8})))
ORDER BY TrajectoryStart DESC, TraceId DESC, Project DESC, StepId DESC, Part DESC
LIMIT {most:UInt64}
