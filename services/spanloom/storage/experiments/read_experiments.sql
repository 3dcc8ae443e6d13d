-- Experiments of a project by name, or the one of a name; of several with one name the one that was stored first.
SELECT {columns}
FROM experiments
WHERE Project = {project:String} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Name, StoredAt, Id
LIMIT 1 BY Name
