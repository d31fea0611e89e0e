import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { root } from '../architecture/root.ts'
import { runExample } from '../examples/run-example.ts'
import { plantFaults } from './planted-example.ts'
import { keyInQuery, publisherFaults } from './publisher-faults.fixture.ts'
import { runCertify } from './run-certify.ts'

const secret = 'a-secret-of-the-callback-url-0123456789'
const node = `"${process.execPath}"`

/** The environment that a certification says to start the application with. */
function environment(...args: string[]): Record<string, string> {
  const command = ['apps/sandbox/src/main.ts', 'certify', 'publisher', '--env', ...args]
  const lines = execFileSync(process.execPath, command, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  return Object.fromEntries(lines.map(line => line.split(/=(.*)/).slice(0, 2)))
}

/** Certifies the example, or a copy of it, in a process of its own. */
async function certify({ source = undefined as string | undefined, args = [] as string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-'))
  const sandbox = ['--port', String(await freePort()), ...args]
  const started = { DATA: join(folder, 'applications.db'), CALLBACK_SECRETS: secret, ...environment(...sandbox) }
  const { urls, end } = await runExample('publisher', started, source)
  const markdown = join(folder, 'report.md')
  try {
    const certified = await runCertify(
      'publisher',
      ...['--callback-url', `${urls.site}/callbacks/${secret}`],
      ...['--submit-command', `${node} apps/example-publisher/src/apply.ts ${urls.site} "$LEAD_EMAIL"`],
      ...['--events-command', `curl -sS ${urls.operator}/leads/$LEAD_ID/events`],
      ...['--markdown', markdown],
      ...sandbox,
    )
    return { ...certified, markdown: existsSync(markdown) ? readFileSync(markdown, 'utf8') : '' }
  } finally {
    await end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.concurrent('a certification of the example publisher', { timeout: 300_000 }, () => {
  it('passes every check under both profiles', async () => {
    const { code, report, amiss } = await certify()
    expect(amiss).toEqual([])
    expect([code, report.passed, report.checks.length]).toEqual([0, 42, 42])
  })

  it('finds each of ten planted faults, and nothing else', async () => {
    using copy = plantFaults('publisher', publisherFaults)
    const { code, report, amiss, stdout, markdown } = await certify({ source: copy.source })
    const failed = new Set(report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id))
    const planted = new Set(publisherFaults.map(({ check }) => check))
    expect([...failed].sort(), amiss.join('\n')).toEqual([...planted].sort())
    expect([code, planted.size]).toEqual([1, 10])
    for (const text of [stdout, markdown]) expect(text).not.toMatch(/sandbox_pub|[^ ]@|certify-[0-9a-f]|0123456789/)
  })

  it('finds a key in the query, for which the service takes no lead', async () => {
    using copy = plantFaults('publisher', [keyInQuery])
    const args = ['--only', 'lead.accepted', '--only', 'key.header', '--profile', 'prose']
    const { amiss } = await certify({ source: copy.source, args })
    expect(amiss).toEqual([
      'prose lead.accepted: The service answered 401 unauthorized.',
      'prose key.header: The key stood in the URL of 1 call.',
    ])
  })

  it('plays signed callbacks where it is told to, and forged signatures', async () => {
    const checks = ['callback.names', 'forged.secret', 'forged.signature']
    const args = ['--signed-callbacks', '--require-all', ...checks.flatMap(id => ['--only', id])]
    const { code, amiss, report } = await certify({ args })
    expect(amiss).toEqual([])
    expect([code, report.passed]).toEqual([0, 4])
  })

  it('finds that signatures are not looked at', async () => {
    const text = ', ...(signingSecret && { signature: { secrets: [signingSecret] } })'
    using copy = plantFaults('publisher', [{ check: 'forged.signature', file: 'site.ts', text, instead: '' }])
    const { amiss } = await certify({ source: copy.source, args: ['--signed-callbacks', '--only', 'forged.signature'] })
    expect(amiss).toEqual([expect.stringContaining('forged.signature: One without a signature was counted')])
  })
})
