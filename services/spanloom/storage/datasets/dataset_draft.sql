-- Every item of a draft, including removed items.
SELECT ItemKey, Hash, Size, AtUnixMicro
FROM dataset_drafts FINAL
WHERE Project = {project:String} AND Dataset = {dataset:String}
ORDER BY ItemKey
