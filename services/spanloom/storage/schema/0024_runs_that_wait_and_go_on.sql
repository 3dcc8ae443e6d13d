-- Whether a run waits for a person, and whether it goes on with one that did; which with which is
-- worked out when it is read. Older rows go on with nothing until `spanloom replay --outdated`.

ALTER TABLE trajectories
    ADD COLUMN IF NOT EXISTS IsWaiting Bool DEFAULT Outcome = 'paused' CODEC(ZSTD(1)) COMMENT 'Whether it waits for a person, also if something failed besides.' AFTER Failures,
    ADD COLUMN IF NOT EXISTS IsResuming Bool DEFAULT false CODEC(ZSTD(1)) COMMENT 'Whether it was given the answer for which an earlier run waited.' AFTER IsWaiting;

ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS IsWaiting Bool DEFAULT Outcome = 'paused' CODEC(ZSTD(1)) COMMENT 'Whether it waits for a person, also if something failed besides.' AFTER Failures,
    ADD COLUMN IF NOT EXISTS IsResuming Bool DEFAULT false CODEC(ZSTD(1)) COMMENT 'Whether it was given the answer for which an earlier run waited.' AFTER IsWaiting;

-- A view has the columns that its tables had when it was made.
CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, Fingerprint, StepIds, SpansDocument) FROM trajectories FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';
