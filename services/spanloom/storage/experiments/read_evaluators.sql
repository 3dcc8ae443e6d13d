-- All versions of the evaluators of a project, or of one name; if a number is stored twice, the first counts.
SELECT {columns}
FROM evaluators
WHERE Project = {project:String} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Name, Version, StoredAt, ConfigHash
LIMIT 1 BY Name, Version
