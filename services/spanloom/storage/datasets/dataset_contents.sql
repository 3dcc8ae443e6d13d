-- Contents of items by their hashes.
SELECT Hash, Content
FROM dataset_contents
WHERE Project = {project:String} AND Dataset = {dataset:String}
  AND Hash IN JSONExtract({hashes:String}, 'Array(String)')
LIMIT 1 BY Hash
