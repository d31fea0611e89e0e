import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../server.ts'
import { temporaryFile } from '../storage/contract/storage.fixture.ts'

/** Returns a server's metrics: each series with its value. */
async function metricsOf(data: string): Promise<Map<string, number>> {
  const server = await startServer({ port: 0, logLevel: 'silent', data })
  onTestFinished(() => server.close())
  // A series of requests starts with the first response.
  await fetch(`${server.url}/_sandbox/health`)
  const text = await (await fetch(`${server.url}/_sandbox/metrics`)).text()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

it("include the process and the event loop in addition to the sandbox's", async () => {
  const metrics = await metricsOf('memory')
  const above = [
    'process_memory_usage_bytes',
    'process_cpu_time_seconds_total{cpu_mode="user"}',
    'process_uptime_seconds',
    'v8js_memory_heap_used_bytes{v8js_heap_space_name="old_space"}',
  ]
  for (const name of above) expect([name, metrics.get(name)]).toEqual([name, expect.any(Number)])
  for (const name of above) expect(metrics.get(name)).toBeGreaterThan(0)
  for (const name of ['mean', 'p50', 'p90', 'p99', 'max'])
    expect(metrics.get(`nodejs_eventloop_delay_${name}_seconds`)).toBeLessThan(60)
  expect([...metrics.values()].every(Number.isFinite)).toBe(true)
  expect(metrics.get('lead_sandbox_tenants')).toBe(1)
})

it("include the size of a storage's files, if it has files", async () => {
  const size = (file: string) => `lead_sandbox_storage_size_bytes{file="${file}"}`
  const inFile = await metricsOf(temporaryFile())
  expect((inFile.get(size('database')) ?? 0) + (inFile.get(size('wal')) ?? 0)).toBeGreaterThan(0)
  expect((await metricsOf('memory')).has(size('database'))).toBe(false)
})

it('are exactly those in the guide', async () => {
  const guide = readFileSync(new URL('../../../../docs/guides/observability.md', import.meta.url), 'utf8')
  const rows = guide.split('\n').filter(line => /^\| `[a-z0-9_]+_/.test(line))
  const listed = rows.flatMap(row =>
    [...(row.split('|')[1]?.matchAll(/`([a-z0-9_]+)`/g) ?? [])].map(([, name]) => name),
  )
  const also = ['p50', 'p90', 'p99', 'max'].map(which => `nodejs_eventloop_delay_${which}_seconds`)
  const shown = new Set(
    [...(await metricsOf(temporaryFile())).keys()].map(series =>
      series.replace(/(\{.*)?$/, '').replace(/(?<=_seconds)_(bucket|sum|count)$/, ''),
    ),
  )
  // Only Linux provides the number of descriptors.
  shown.add('process_unix_file_descriptor_count')
  expect([...listed, ...also].toSorted()).toEqual([...shown].toSorted())
})
