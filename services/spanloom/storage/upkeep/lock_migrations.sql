-- If two processes execute this at the same time, exactly one succeeds. The comment is the holder.
CREATE TABLE {table:Identifier}
(
    At DateTime64(3) DEFAULT now64(3) COMMENT 'When the holder began a statement, by the clock of the store.',
    IsReleased Bool COMMENT 'Whether the migration is over.'
)
ENGINE = MergeTree
ORDER BY At
