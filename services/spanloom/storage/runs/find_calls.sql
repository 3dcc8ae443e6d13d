-- The calls with some keys that ran in the windows of their keys, including calls of replaced versions. The windows of
-- a key do not overlap, so only the last window that begins before a call's end has to be checked. The newest row of
-- each call, or of each trace, counts; of traces of one run only a limited number is found for each key.
SELECT stored.TraceId AS TraceId, stored.StepId AS StepId, stored.CallKey AS CallKey,
       stored.Seq AS Seq, stored.Version AS Version,
       stored.StartTimeUnixNano AS StartTimeUnixNano, stored.EndTimeUnixNano AS EndTimeUnixNano,
       stored.IsBare AS IsBare, stored.Dialect AS Dialect,
       stored.ModelSteps AS ModelSteps, stored.ToolSteps AS ToolSteps, stored.Richness AS Richness,
       stored.Answer AS Answer, stored.Question AS Question
FROM
(
    SELECT *
    FROM call_index
    WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
    ORDER BY Seq DESC, Version DESC
    LIMIT 1 BY CallKey, {place}
) AS stored
ASOF INNER JOIN
(
    SELECT one.1 AS CallKey, one.2 AS FromNs, one.3 AS UntilNs
    FROM (SELECT arrayJoin(JSONExtract({windows:String}, 'Array(Tuple(String, UInt64, UInt64))')) AS one)
) AS wanted
    ON stored.CallKey = wanted.CallKey AND stored.EndTimeUnixNano >= wanted.FromNs
WHERE stored.StartTimeUnixNano <= wanted.UntilNs
ORDER BY {place}
{most}
