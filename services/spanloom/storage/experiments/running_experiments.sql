-- Experiments without an end; if a name is stored twice, only the first.
SELECT {columns}
FROM experiments
WHERE {reach}
  AND (Project, Id) NOT IN (SELECT Project, ExperimentId FROM experiment_ends WHERE {reach})
  AND (Project, Name, Id) IN
  (
      SELECT Project, Name, Id
      FROM experiments
      WHERE {reach}
      ORDER BY Project, Name, StoredAt, Id
      LIMIT 1 BY Project, Name
  )
ORDER BY Project, Name
