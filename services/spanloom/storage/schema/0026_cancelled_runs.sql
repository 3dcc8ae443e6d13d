-- A run that was stopped from outside is told apart from one that failed; older rows of such runs say
-- what they said until `spanloom replay --outdated`.

ALTER TABLE trajectories COMMENT COLUMN IF EXISTS Outcome 'ok, recovered (what failed was got over), paused (waits for a person), cancelled (stopped from outside) or failed.';

ALTER TABLE trajectory_list COMMENT COLUMN IF EXISTS Outcome 'ok, recovered (what failed was got over), paused (waits for a person), cancelled (stopped from outside) or failed.';
