DROP TABLE IF EXISTS {name:Identifier} SYNC
