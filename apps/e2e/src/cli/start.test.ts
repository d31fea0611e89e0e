import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandboxClient } from '@lead-distribution/control-client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { submissionOf } from '../adapters/tenant.ts'

const { run, start } = launcher()

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'start-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'lead-sandbox.yaml'), text)
  return join(folder, 'lead-sandbox.yaml')
}

it('starts with tenants from a file and a callback URL, set by flags or the environment', async () => {
  vi.stubEnv('LEAD_SANDBOX_CONFIG', fileOf('tenants:\n  - name: qa\n    settings: { gender: required }\n'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await start('--callback-url', 'http://127.0.0.1:3000/callbacks')
  expect(server.tenant.publisher.callback_url).toBe('http://127.0.0.1:3000/callbacks')
  const qa = await createSandboxClient({ baseUrl: server.url }).control('qa').show()
  expect(qa.settings.gender).toBe('required')
})

it.each([
  [['--config', 'none.yaml'], 'Could not read none.yaml (ENOENT)'],
  [['--callback-url', 'http://qa.example/'], '--callback-url goes to a host that is not allowed'],
])('exits with 2 if it cannot start: %j', async (flags, says) => {
  const { code, stdout, stderr } = await run('start', '--port', '0', ...flags).exit
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
})

it('says that the port is taken, and what to do', async () => {
  const { url } = await start()
  const { code, stderr } = await run('start', '--port', new URL(url).port).exit
  expect([code, stderr]).toEqual([2, expect.stringMatching(/Port \d+ is in use.* choose another --port/)])
})

it('logs each service request as a line of JSON without keys or personal data, and none with --log-level warn', async () => {
  const [logging, quiet] = await Promise.all([start(), start('--log-level', 'warn')])
  for (const { base_url, url, tenant } of [logging, quiet]) {
    const send = (apikey: string) =>
      fetch(`${base_url}/lead`, {
        method: 'POST',
        headers: {
          apikey,
          'content-type': 'application/json',
          'x-sandbox-scenario': 'age_restriction',
          connection: 'close',
        },
        body: JSON.stringify(submissionOf(tenant, 'ana@example.com')),
      })
    await send(tenant.publisher.api_key)
    await send('wrong-key')
    await fetch(`${url}/_sandbox/v1/tenants`, { headers: { connection: 'close' } })
  }
  logging.child.kill('SIGTERM')
  quiet.child.kill('SIGTERM')
  const { stderr } = await logging.exit
  const call = { msg: 'request', method: 'POST', path: '/api/v1/lead', operation: 'submitLead', ms: expect.any(Number) }
  expect(
    stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toMatchObject([
    { ...call, status: 200, outcome: 'rejected', reason: 'age_restriction' },
    { ...call, status: 401, outcome: 'unauthorized' },
  ])
  expect(stderr).not.toMatch(/ana|sandbox_pub|wrong-key/)
  expect(await quiet.exit).toMatchObject({ code: 0, stderr: '' })
})
