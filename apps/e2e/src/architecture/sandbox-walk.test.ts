import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createSandboxClient } from '@lead-distribution/control-client'
import { startServer } from '@lead-distribution/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { root } from './sources.ts'

const readme = pathToFileURL(join(root, 'apps/sandbox/README.md'))

/** The functions that the README names, each with the URL of its file. */
const steps = [...readFileSync(readme, 'utf8').matchAll(/^\| \d+ \| `(\w+)` in \[[^\]]+\]\(([^)]+)\)/gm)].map(
  ([, name = '', link = '']) => ({ name, file: new URL(link, readme).href }),
)

it('goes from the start to a delivered callback through the functions that the README names', async () => {
  const inspector = new Session()
  inspector.connect()
  onTestFinished(() => inspector.disconnect())
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

  const folder = mkdtempSync(join(tmpdir(), 'sandbox-walk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const server = await startServer({ port: 0, data: join(folder, 'sandbox.db'), logLevel: 'silent' })
  onTestFinished(() => server.close())
  const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callbacks`
  const tenant = await createSandboxClient({ baseUrl: server.url }).createTenant({ callbackUrl })
  const { base_url, publisher } = tenant.account
  const lead = await fetch(`${base_url}/lead`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: publisher.api_key },
    body: JSON.stringify(createTestLeads(tenant.account).distributed()),
  })
  const { lead_id } = (await lead.json()) as { lead_id: string }
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  expect(await tenant.callbacks.wait({ leadId: lead_id })).toMatchObject({
    state: 'delivered',
    url: expect.stringContaining(callbackUrl),
  })

  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const ran = ({ name, file }: (typeof steps)[number]) =>
    result.some(
      ({ url, functions }) =>
        pathToFileURL(url.replace(/^file:\/\//, '')).href === file &&
        functions.some(({ functionName, ranges }) => functionName === name && (ranges[0]?.count ?? 0) > 0),
    )
  expect(steps.length).toBeGreaterThan(10)
  expect(steps.filter(step => !ran(step))).toEqual([])
})
