-- Deletions, newest first: all, or only those that have not ended.
SELECT EveryProject, Projects, TraceId, ConversationId, StartBeforeUnixNano,
       Id, Step, RequestedAtUnixNano, RequestedBy, Traces, Spans, IsOver, UntilSeq
FROM deletions FINAL
WHERE NOT ({only_lasting:Bool} AND IsOver)
ORDER BY Id DESC
LIMIT {limit:UInt64}
