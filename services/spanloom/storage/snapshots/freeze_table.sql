-- Links what the table holds now into shadow/backup beside the store; nothing is copied.
ALTER TABLE {table:Identifier} FREEZE WITH NAME 'backup'
