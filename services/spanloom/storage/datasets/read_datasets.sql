-- The datasets of a project, or the dataset with a name; includes datasets that were deleted a moment ago.
SELECT {columns}
FROM datasets FINAL
WHERE Project = {project:String} AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Name
