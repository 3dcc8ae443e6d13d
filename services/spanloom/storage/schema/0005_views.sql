-- For dashboards and people: current rows only, without versions and FINAL.

CREATE VIEW IF NOT EXISTS v_spans AS
SELECT * EXCEPT (RowVersion, InsertedAt) FROM otel_traces FINAL
COMMENT 'Every span once, in its newest version.';

CREATE VIEW IF NOT EXISTS v_trajectories AS
SELECT * EXCEPT (Seq, Fingerprint, StepIds, SpansDocument) FROM trajectories FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';

CREATE VIEW IF NOT EXISTS v_steps AS
SELECT * EXCEPT (Seq, IsDeleted, CallKey, IsBare) FROM steps FINAL
COMMENT 'Every step of the current trajectories once.';
