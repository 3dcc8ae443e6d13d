-- The number of runs in each state, for each rule of a project, by the newest work item of each run.
SELECT Rule, countIf(State = 'pending') AS Pending, countIf(State = 'done') AS Done, countIf(State = 'error') AS Error,
       countIf(State = 'deferred') AS Deferred, countIf(State = 'stale') AS Stale,
       minIf(DueUnixMicro, State = 'pending') AS OldestDue
FROM
(
    SELECT Rule, State, DueUnixMicro
    FROM online_work FINAL
    WHERE Project = {project:String} AND ({of_name:String} = '' OR Rule = {of_name:String}) AND State != 'dropped'
    ORDER BY TraceId, Rule, RuleVersion DESC, Version DESC
    LIMIT 1 BY TraceId, Rule
)
GROUP BY Rule
ORDER BY Rule
