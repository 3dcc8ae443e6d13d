-- Every key; a row without a digest records the use of a key that does not exist.
SELECT Id AS id, max(Digest) AS digest, max(Project) AS project, max(Scopes) AS scopes,
       max(CreatedUnixNano) AS created_ns, max(ExpiresUnixNano) AS expires_ns,
       if(min(RevokedUnixNano) = 18446744073709551615, 0, min(RevokedUnixNano)) AS revoked_ns,
       max(UsedUnixNano) AS used_ns
FROM access_keys
GROUP BY Id
HAVING digest != ''
