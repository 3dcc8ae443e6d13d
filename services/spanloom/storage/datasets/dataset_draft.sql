-- Every item of a draft, including removed items.
SELECT {columns}
FROM dataset_drafts FINAL
WHERE Project = {project:String} AND Dataset = {dataset:String}
ORDER BY ItemKey
