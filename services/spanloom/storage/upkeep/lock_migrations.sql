-- If two processes execute this at the same time, exactly one succeeds.
CREATE TABLE schema_migration_lock
(
    Holder String COMMENT 'Host and process id of the migration.',
    Ends DateTime COMMENT 'When its lease ends, unless it is renewed.'
)
ENGINE = MergeTree
ORDER BY Ends
COMMENT 'Exists while a migration is under way.'
