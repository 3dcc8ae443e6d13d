-- The changes of each trace, in seconds of the clock whose rows are not known yet; `known` has the known seconds,
-- each with the fingerprint of its rows (inserted.sql).
SELECT Project, TraceId, first_accepted, last_accepted, has_root, spans, second, requests, fingerprint
FROM
(
    SELECT Project, TraceId, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
           toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, max(HasRoot) AS has_root, sum(Spans) AS spans,
           intDiv(toUnixTimestamp64Milli(InsertedAt), 1000) AS second, groupUniqArray((Seq, Spans)) AS requests,
           sum(sum(cityHash64(Project, TraceId, Seq, Spans))) OVER (PARTITION BY second) AS fingerprint
    FROM trace_changes
    WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
    GROUP BY Project, TraceId, second
)
WHERE (second, fingerprint) NOT IN JSONExtract({known:String}, 'Array(Tuple(Int64, UInt64))')
  AND {shared}
