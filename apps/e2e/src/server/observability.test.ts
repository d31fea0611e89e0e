import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'

const { run, start } = launcher()
afterEach(() => {
  vi.unstubAllEnvs()
})

/** A collector of traces on this machine, which keeps the names of the spans that it receives. */
async function openCollector() {
  const names: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[] }
    names.push(...body.resourceSpans.flatMap(each => each.scopeSpans[0]?.spans.map(({ name }) => name) ?? []))
    response.end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, names }
}

it('sends what it recorded to the collector before it ends, and has logged each request', async () => {
  const collector = await openCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1000000')
  const server = await start('--access-log', '--log-level', 'error')
  await fetch(`${server.url}/api/v1/lead/ana@example.com/status?token=s3cret&event=approved`)
  await fetch(`${server.url}/_sandbox/health/ready`)
  server.child.kill('SIGTERM')
  const { code, stderr } = await server.exit
  expect([code, collector.names]).toEqual([0, ['GET /api/v1/lead/:lead_id/status', 'GET /_sandbox/health/ready']])
  const lines = stderr.trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { method: 'GET', path: '/api/v1/lead/*/status', operation: 'reportEvent', status: 401 },
    { method: 'GET', path: '/_sandbox/health/ready', operation: 'ready', status: 200 },
  ])
  expect(stderr).not.toMatch(/ana|s3cret/)
})

it('works where the collector is not there, and reports that once', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1')
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1')
  const server = await start()
  for (let round = 0; round < 5; round++) expect((await fetch(`${server.url}/_sandbox/health/live`)).status).toBe(200)
  server.child.kill('SIGTERM')
  const { code, stderr } = await server.exit
  expect([code, stderr.match(/trace collector could not be reached/g)?.length]).toEqual([0, 1])
})

it('does not start with a protocol that it does not send, and names the variable', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4317')
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc')
  const { code, stderr } = await run('start', '--port', '0').exit
  expect([code, stderr]).toEqual([2, expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL')])
})
