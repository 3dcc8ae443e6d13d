-- A run that moved and whose writer died has its old place beside its new one, or one that its
-- trajectory never got. This release writes both in one INSERT; the one before is gone by now.
-- Repeated, it finds none. A server takes the name of a WITH for a table in an ALTER, so there is none.
ALTER TABLE trajectory_list DELETE WHERE (Project, StartTimeUnixNano, TraceId) IN
(
    SELECT listed.Project, listed.StartTimeUnixNano, listed.TraceId
    FROM
    (
        SELECT Project, StartTimeUnixNano, TraceId
        FROM trajectory_list FINAL
        WHERE sipHash64(Project, TraceId) IN
        (
            SELECT sipHash64(Project, TraceId) AS run FROM trajectory_list FINAL GROUP BY run HAVING count() > 1
        )
    ) AS listed
    INNER JOIN
    (
        SELECT Project, TraceId, argMax(StartTimeUnixNano, (Seq, Version)) AS Start
        FROM trajectories
        WHERE sipHash64(Project, TraceId) IN
        (
            SELECT sipHash64(Project, TraceId) AS run FROM trajectory_list FINAL GROUP BY run HAVING count() > 1
        )
        GROUP BY Project, TraceId
    ) AS built
        ON listed.Project = built.Project AND listed.TraceId = built.TraceId
    WHERE listed.StartTimeUnixNano != built.Start
)
SETTINGS mutations_sync = 1;
