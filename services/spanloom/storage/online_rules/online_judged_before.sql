-- Traces that earlier versions of a rule had to do with, and those that failed under this one.
SELECT DISTINCT TraceId
FROM online_work FINAL
WHERE Project = {project:String} AND Rule = {of_name:String} AND TraceId > {after:String}
  AND (RuleVersion < {version:UInt32} OR State IN ('error', 'stale'))
ORDER BY TraceId
LIMIT {limit:UInt64}
