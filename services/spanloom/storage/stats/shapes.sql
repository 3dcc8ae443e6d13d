-- The distinct tools, agents, errors and successions of steps of each run, for current versions, newest run first.
WITH
    arrayFilter((name, type) -> type = 'tool', `Steps.Name`, `Steps.Type`) AS tools,
    arrayMap(above -> if(above > 0 AND `Steps.Type`[above] = 'agent', `Steps.Name`[above], ''), `Steps.Parent`) AS above
SELECT
    Project, TraceId, StartTimeUnixNano, ConversationId,
    substring(arrayFirst(pair -> startsWith(pair, {item_prefix:String}), Attributes), length({item_prefix:String}) + 1),
    Outcome,
    arrayDistinct(tools),
    arrayDistinct(arrayFilter((name, time) -> time = 2, tools, arrayEnumerateUniq(tools))),
    arrayDistinct(arrayFilter((name, type) -> type = 'agent', `Steps.Name`, `Steps.Type`)),
    arrayDistinct(arrayFilter(
        pair -> pair.1 != '',
        arrayMap((agent, name, type) -> (if(type = 'agent', agent, ''), name), above, `Steps.Name`, `Steps.Type`))),
    arrayDistinct(arrayMap(
        (type, name, next_type, next_name) -> (toString(type), name, toString(next_type), next_name),
        arrayPopBack(`Steps.Type`), arrayPopBack(`Steps.Name`), arrayPopFront(`Steps.Type`), arrayPopFront(`Steps.Name`))),
    arrayDistinct(arrayMap(
        (type, name, code) -> (toString(type), name, code),
        arrayFilter((type, failed) -> failed, `Steps.Type`, `Steps.HasError`),
        arrayFilter((name, failed) -> failed, `Steps.Name`, `Steps.HasError`),
        arrayFilter((code, failed) -> failed, `Steps.ErrorCode`, `Steps.HasError`))),
    {shown}
FROM trajectory_list FINAL
WHERE {reach}
  AND {filter}
  AND {alive}
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
LIMIT {most:UInt64}
