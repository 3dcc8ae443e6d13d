-- Work items that wait: pending items first, and the items that are due for longest first. Items are found by the state
-- of any of their revisions, because few have several revisions before a merge; only their newest revision counts.
SELECT {columns}
FROM
(
    SELECT {columns}
    FROM online_work
    WHERE (Project, TraceId, Rule, RuleVersion, Version) IN
    (
        SELECT Project, TraceId, Rule, RuleVersion, Version
        FROM online_work
        WHERE State IN JSONExtract({states:String}, 'Array(String)') AND {shared}
          AND (toString(Project), toString(Rule)) IN JSONExtract({rules:String}, 'Array(Tuple(String, String))')
    )
    ORDER BY Project, TraceId, Rule, RuleVersion, Version, Revision DESC
    LIMIT 1 BY Project, TraceId, Rule, RuleVersion, Version
)
WHERE State IN JSONExtract({states:String}, 'Array(String)')
  AND DueUnixMicro <= {now_us:Int64}
ORDER BY State = 'deferred', DueUnixMicro, Project, TraceId, Rule, RuleVersion, Version
LIMIT {limit:UInt64}
