-- Annotated trajectories outlive retention: the keeper marks their rows, and no term removes a marked row.

ALTER TABLE trajectories
    ADD COLUMN IF NOT EXISTS IsKept Bool DEFAULT false COMMENT 'Whether retention leaves it: it is annotated.';

ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS IsKept Bool DEFAULT false COMMENT 'Whether retention leaves it: it is annotated.';
