-- A dataset that was deleted: it is in no list any more, and the keeper removes its rows, this one last.
ALTER TABLE datasets
    ADD COLUMN IF NOT EXISTS IsDeleted Bool COMMENT 'Whether the dataset was deleted: the keeper removes its rows.' AFTER PutBy;
