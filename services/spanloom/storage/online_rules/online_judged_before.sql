-- Traces for which earlier versions of a rule have work items.
SELECT DISTINCT TraceId
FROM online_work
WHERE Project = {project:String} AND Rule = {of_name:String} AND TraceId > {after:String}
  AND RuleVersion < {version:UInt32}
ORDER BY TraceId
LIMIT {limit:UInt64}
