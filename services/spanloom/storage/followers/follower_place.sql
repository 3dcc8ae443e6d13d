-- Where a follower of the change feed goes on.
SELECT Place
FROM follower_places
WHERE Follower = {follower:String}
ORDER BY At DESC
LIMIT 1
