-- The newest documents of some traces: the project, the trace id, the start and the document, each prefixed with its
-- length. As bytes, because in JSON a document would be escaped text.
SELECT
    leftPad(toString(length(Project)), 12, '0'), Project,
    leftPad(toString(length(TraceId)), 12, '0'), TraceId,
    leftPad(toString(length(toString(StartTimeUnixNano))), 12, '0'), toString(StartTimeUnixNano),
    leftPad(toString(length(Document)), 12, '0'), Document
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Seq DESC, Version DESC
LIMIT 1 BY Project, TraceId
