-- The rows of a trajectory that were stored under some write ids.
SELECT DISTINCT Project, TraceId, Scheme, Annotator, StepId, Revision, WriteId, BaseRevision, AtUnixMicro, Origin, UndoGroup, IsDeleted,
       SchemeHash, Version, StepHash, AnchorAgent, AnchorOrdinal, AnchorType, AnchorAgentName, AnchorQuote, Correctness, ErrorType, ErrorSubtype,
       Severity, Penalty, Rationale, Value
FROM annotations
WHERE Project = {project:String} AND TraceId = {trace_id:String}
  AND WriteId IN JSONExtract({write_ids:String}, 'Array(String)')
ORDER BY Scheme, Annotator, StepId, Revision
