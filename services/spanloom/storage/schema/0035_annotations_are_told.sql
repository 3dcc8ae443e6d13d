-- The change feed tells also when what is said of a trajectory has changed: its annotations or its scores.

ALTER TABLE trajectory_changes
    ADD COLUMN IF NOT EXISTS IsSaid Bool DEFAULT false COMMENT 'Whether annotations or scores changed, and no version was stored.';
