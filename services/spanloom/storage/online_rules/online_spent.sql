-- What a rule has spent since a time; each revision of a work item includes the amounts of earlier revisions.
SELECT sum(Cost) AS Usd, sum(Tokens) AS Tokens, sum(Calls) AS Calls, countIf(IsJudged) AS Runs
FROM
(
    SELECT Cost, Tokens, Calls, IsJudged
    FROM online_work
    WHERE Project = {project:String} AND Rule = {of_name:String} AND JudgedUnixMicro >= {since_us:Int64}
    ORDER BY TraceId, RuleVersion, Version, Revision DESC
    LIMIT 1 BY TraceId, RuleVersion, Version
)
