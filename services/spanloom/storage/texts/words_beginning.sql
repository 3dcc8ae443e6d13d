-- Words of the index that begin so, whoever said them.
SELECT DISTINCT token AS Word
FROM mergeTreeTextIndex(currentDatabase(), step_texts, words)
WHERE startsWith(token, {beginning:String})
LIMIT {most:UInt64}
