-- The experiments of a project, or the experiment with a name; if a name is stored twice, the first counts.
SELECT {columns}
FROM experiments
WHERE Project = {project:String} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Name, StoredAt, Id
LIMIT 1 BY Name
