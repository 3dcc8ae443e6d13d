-- Every row of one annotator on a trajectory, by step, oldest first.
SELECT DISTINCT Project, TraceId, Scheme, Annotator, StepId, Revision, WriteId, BaseRevision, AtUnixMicro, Origin, UndoGroup, IsDeleted,
       SchemeHash, Version, StepHash, AnchorAgent, AnchorOrdinal, AnchorType, AnchorAgentName, AnchorQuote, Correctness, ErrorType, ErrorSubtype,
       Severity, Penalty, Rationale, Value
FROM annotations
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Scheme = {scheme:String} AND Annotator = {annotator:String}
ORDER BY StepId, Revision, AtUnixMicro, WriteId
