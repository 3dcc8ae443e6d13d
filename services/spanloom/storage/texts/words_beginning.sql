-- Words in the index that begin with a prefix, from all projects.
SELECT DISTINCT token AS Word
FROM mergeTreeTextIndex(currentDatabase(), step_texts, word_index)
WHERE startsWith(token, {beginning:String})
LIMIT {most:UInt64}
