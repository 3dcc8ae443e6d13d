-- How many runs in the list have their steps elsewhere.
SELECT count()
FROM trajectory_list FINAL
WHERE NOT HasArrays AND NOT IsDeleted
