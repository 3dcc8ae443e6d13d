-- Documents of some trajectories, every stored version, oldest first: the project, the trace id and the document, each
-- prefixed with its length. As bytes, because in JSON a document would be escaped text.
SELECT
    leftPad(toString(length(Project)), 12, '0'), Project,
    leftPad(toString(length(TraceId)), 12, '0'), TraceId,
    leftPad(toString(length(Document)), 12, '0'), Document
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Seq, Version
