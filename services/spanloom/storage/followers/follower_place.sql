-- The position at which a follower of the change feed continues.
SELECT Place
FROM follower_places
WHERE Follower = {follower:String}
ORDER BY At DESC
LIMIT 1
