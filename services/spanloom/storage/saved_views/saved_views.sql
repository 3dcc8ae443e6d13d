-- The newest revision of each view of a project; if a revision is stored twice, the first counts.
SELECT Id, Revision, AtUnixMicro, Change, Page, Name, Format, Parameters, Owner, ChangedBy, IsDeleted
FROM saved_views
WHERE Project = {project:String}
ORDER BY Id, Revision DESC, AtUnixMicro, Change
LIMIT 1 BY Id
