-- Items of a version after a key.
SELECT {columns}
FROM dataset_items FINAL
WHERE Project = {project:String} AND Dataset = {dataset:String} AND VersionHash = {version:String}
  AND ItemKey > {after:String}
ORDER BY ItemKey
LIMIT {limit:UInt64}
