-- Current scores after a position, ordered by project, trace and id: the highest revision of each score. If
-- before_us is not 0, only scores of traces without a stored trajectory that are older than this time.
SELECT {columns}
FROM
(
    SELECT *
    FROM scores
    WHERE {reach}
      AND ({trace_ids:String} = '[]' OR TraceId IN JSONExtract({trace_ids:String}, 'Array(String)'))
      AND (Project, TraceId, ScoreId) > ({after_project:String}, {after_trace:String}, {after_score:String})
      AND ({of_name:String} = '' OR Name = {of_name:String})
      AND ({sources:String} = '[]' OR Source IN JSONExtract({sources:String}, 'Array(String)'))
      AND ({author:String} = '' OR Author = {author:String})
      AND ({target:String} = '' OR Target = {target:String})
      AND ({experiment:String} = '' OR Experiment = {experiment:String})
      AND ({item:String} = '' OR Item = {item:String})
    ORDER BY Project, TraceId, ScoreId, Revision DESC
    LIMIT 1 BY Project, TraceId, ScoreId
)
WHERE NOT IsDeleted
  AND ({before_us:UInt64} = 0 OR (TraceId != '' AND Revision < {before_us:UInt64}
    AND (Project, TraceId) NOT IN (SELECT Project, TraceId FROM trajectories WHERE {before_us:UInt64} > 0 AND {reach})))
ORDER BY Project, TraceId, ScoreId
LIMIT {limit:UInt64}
