-- Where these call keys have been seen in their windows; the steps themselves have the truth. The
-- windows of a key do not overlap, so the last that begins before a call's end is the one to look at.
SELECT DISTINCT stored.TraceId AS TraceId, stored.StepId AS StepId
FROM
(
    SELECT CallKey, TraceId, StepId, StartTimeUnixNano, EndTimeUnixNano
    FROM call_index
    WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
) AS stored
ASOF INNER JOIN
(
    SELECT one.1 AS CallKey, one.2 AS FromNs, one.3 AS UntilNs
    FROM (SELECT arrayJoin(JSONExtract({windows:String}, 'Array(Tuple(String, UInt64, UInt64))')) AS one)
) AS wanted
    ON stored.CallKey = wanted.CallKey AND stored.EndTimeUnixNano >= wanted.FromNs
WHERE stored.StartTimeUnixNano <= wanted.UntilNs
