-- What a rule has taken since a time; each revision of work has what those before it took.
SELECT sum(Cost) AS Usd, sum(Tokens) AS Tokens, sum(Calls) AS Calls, countIf(IsJudged) AS Runs
FROM
(
    SELECT Cost, Tokens, Calls, IsJudged
    FROM online_work
    WHERE Project = {project:String} AND Rule = {of_name:String} AND JudgedUnixMicro >= {since_us:Int64}
    ORDER BY TraceId, RuleVersion, Version, Revision DESC
    LIMIT 1 BY TraceId, RuleVersion, Version
)
