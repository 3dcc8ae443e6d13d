-- The newest revision of each alert within the reach, or of one name; if a revision is stored twice, the first counts.
SELECT {columns}
FROM alerts
WHERE {reach} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Project, Name, Revision DESC, StoredAt, Change
LIMIT 1 BY Project, Name
