-- All work items of some runs, each in its highest revision.
SELECT {columns}
FROM online_work
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Project, TraceId, Rule, RuleVersion, Version, Revision DESC
LIMIT 1 BY Project, TraceId, Rule, RuleVersion, Version
