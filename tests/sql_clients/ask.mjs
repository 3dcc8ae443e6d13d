// Asks the SQL port by ClickHouse's own client and prints what it was answered, as JSON.
import { createClient } from '@clickhouse/client'

const client = createClient({
  url: process.env.SPANLOOM_SQL,
  username: 'anybody',
  password: process.env.SPANLOOM_KEY,
  compression: { response: true, request: true },
})

const rows = async (query, query_params = {}, clickhouse_settings = {}) =>
  (await client.query({ query, query_params, clickhouse_settings, format: 'JSONEachRow' })).json()

const refusal = async (query, settings = {}) => {
  try {
    await rows(query, {}, settings)
    return null
  } catch (error) {
    return error.type ?? String(error)
  }
}

const streamed = async () => {
  let count = 0
  const found = await client.query({ query: 'SELECT number FROM numbers(100000)', format: 'JSONEachRow' })
  for await (const some of found.stream()) count += some.length
  return count
}

const cancelled = async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 300)
  const query = 'SELECT count() FROM numbers(1900000000) WHERE sipHash64(number) = 1'
  try {
    await client.query({ query, abort_signal: stop.signal })
    return false
  } catch {
    return true
  }
}

console.log(
  JSON.stringify({
    ping: (await client.ping()).success,
    counted: (await rows('SELECT toUInt32(count()) AS n FROM v_spans'))[0].n,
    bound: (await rows("SELECT {a:Int32} + 1 AS a, {b:String} AS b", { a: 41, b: "it's\t\\" }))[0],
    streamed: await streamed(),
    refused: await refusal("INSERT INTO steps (Project) VALUES ('x')"),
    outside: await refusal("SELECT file('/etc/passwd')"),
    nothing: await refusal('SELECT * FROM nothing'),
    ended: await refusal('SELECT count() FROM numbers(1900000000) WHERE sipHash64(number) = 1', {
      max_execution_time: 0.2,
    }),
    cancelled: await cancelled(),
  }),
)
await client.close()
