-- Datasets of a project by name, or the one of a name.
SELECT Name, Description, Evaluators, AtUnixMicro, PutBy
FROM datasets FINAL
WHERE Project = {project:String} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Name
