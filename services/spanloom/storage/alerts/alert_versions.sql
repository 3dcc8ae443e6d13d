-- The newest revision of each version of an alert; if a revision is stored twice, the first counts.
SELECT {columns}
FROM alerts
WHERE Project = {project:String} AND Name = {of_name:String}
ORDER BY Version DESC, Revision DESC, StoredAt, Change
LIMIT 1 BY Version
