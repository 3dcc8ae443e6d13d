-- Every key; a row without a digest is the use of a key that is not there.
SELECT Id, max(Digest) AS Digest, max(Project), max(Scopes), max(CreatedUnixNano), max(ExpiresUnixNano),
       if(min(RevokedUnixNano) = 18446744073709551615, 0, min(RevokedUnixNano)), max(UsedUnixNano)
FROM access_keys
GROUP BY Id
HAVING Digest != ''
