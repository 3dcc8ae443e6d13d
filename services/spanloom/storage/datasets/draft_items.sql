-- Items of a draft after a key.
SELECT {columns}
FROM dataset_drafts FINAL
WHERE Project = {project:String} AND Dataset = {dataset:String} AND ItemKey > {after:String} AND Hash != ''
ORDER BY ItemKey
LIMIT {limit:UInt64}
