-- The evidence of some alert events about runs; if an event number is stored twice, the first counts.
SELECT Id, Number, Content
FROM alert_evidence
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  AND Id IN JSONExtract({ids:String}, 'Array(String)')
ORDER BY Id, Number, StoredAt
LIMIT 1 BY Id, Number
