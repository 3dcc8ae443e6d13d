-- Records a row only for INSERTs of an older release, so that INSERTs of this release write no additional part.
CREATE MATERIALIZED VIEW IF NOT EXISTS {watch:Identifier} TO {writers:Identifier} AS
SELECT {table:String} AS Source, getSetting('log_comment') AS Writer, now64(3) AS SeenAt
FROM {table:Identifier}
WHERE toUInt32OrZero(extract(getSetting('log_comment'), '^spanloom/([0-9]+)')) < {newest:UInt32}
LIMIT 1
