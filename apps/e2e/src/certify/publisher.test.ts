import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { root } from '../architecture/sources.ts'
import { filledIn } from '../examples/open-loop.ts'
import { runExample } from '../examples/run-example.ts'
import { injectFaults, keyInQuery, publisherFaults, slowCallbacks, unverified } from './faulty-examples.fixture.ts'
import { certifyInParts, failedIds, runCertify } from './run-certify.fixture.ts'

const secret = 'a-secret-of-the-callback-url-0123456789'

/** Returns the application's environment for a certification at a port. */
async function environment(port: number, isSigned: boolean): Promise<NodeJS.Dict<string>> {
  const command = ['apps/sandbox/src/main.ts', 'env', 'publisher', '--sandbox', `http://127.0.0.1:${port}`]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: root })
  return parseEnv(isSigned ? `${stdout}${/CALLBACK_SIGNING_SECRET=.*/.exec(stderr)?.[0]}` : stdout)
}

/** Returns a command that submits as a browser does and prints the page and the redirect. */
const submit = (site: string) =>
  `curl -sS --fail-with-body -w ' %{redirect_url}' -d '${form}' --data-urlencode "email=$LEAD_EMAIL" ${site}/apply`

const form = new URLSearchParams({ ...filledIn, email: '' })
form.delete('email')

interface Certifying {
  readonly file?: string | undefined
  readonly args?: readonly string[]
}

/** Certifies the example or a copy of it in a separate process. */
async function certify({ file, args = [] }: Certifying) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-'))
  const port = await freePort()
  const started = { CALLBACK_SECRETS: secret, ...(await environment(port, args.includes('--signed-callbacks'))) }
  const { url, end } = await runExample('publisher', started, file)
  const markdown = join(folder, 'report.md')
  try {
    const certified = await runCertify(
      'publisher',
      ...['--callback-url', `${url}/callbacks/${secret}`],
      ...['--submit-command', submit(url)],
      ...['--events-command', `curl -sS ${url}/staff/leads/$LEAD_ID/events`],
      ...['--markdown', markdown],
      ...['--port', String(port), ...args],
    )
    return { ...certified, written: existsSync(markdown) ? readFileSync(markdown, 'utf8') : '' }
  } finally {
    await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Certifies the example in two parallel parts. */
function certifyWhole({ args = [], ...how }: Certifying) {
  return certifyInParts('publisher', /^(?:reply|error)\./, (...only) => certify({ ...how, args: [...args, ...only] }))
}

describe.concurrent('a certification of the example publisher', { timeout: 300_000 }, () => {
  it('passes every check under both profiles', async () => {
    const { code, report, wrong } = await certifyWhole({ args: ['--signed-callbacks', '--require-all'] })
    expect(wrong).toEqual([])
    expect([code, report.passed, report.checks.length]).toEqual([0, 43, 43])
  })

  it('finds each of nine injected faults', async () => {
    using copy = injectFaults('publisher', publisherFaults)
    const injected = [...new Set(publisherFaults.map(({ check }) => check))]
    const args = injected.flatMap(id => ['--only', id])
    const certified = await certify({ file: copy.file, args })
    expect(failedIds(certified), certified.wrong.join('\n')).toEqual(injected.sort())
    expect([certified.code, injected.length]).toEqual([1, 9])
    for (const text of [certified.stdout, certified.written])
      expect(text).not.toMatch(/sandbox_pub|[^ ]@|certify-[0-9a-f]|0123456789/)
  })

  it('finds late responses to callbacks', async () => {
    using copy = injectFaults('publisher', [slowCallbacks])
    // Alone, because it slows down every other callback check.
    const certified = await certify({ file: copy.file, args: ['--profile', 'prose', '--only', 'callback.prompt'] })
    expect(failedIds(certified), certified.wrong.join('\n')).toEqual(['callback.prompt'])
  })

  it('finds a key in the query, with which the service accepts no lead', async () => {
    using copy = injectFaults('publisher', [keyInQuery])
    const args = ['--only', 'lead.accepted', '--only', 'key.header', '--profile', 'prose']
    const { wrong } = await certify({ file: copy.file, args })
    expect(wrong).toEqual([
      'prose lead.accepted: The service responded with 401 unauthorized.',
      'prose key.header: The key was in the URL of 1 request.',
    ])
  })

  it('finds signatures that are not verified', async () => {
    using copy = injectFaults('publisher', [unverified])
    const args = ['--signed-callbacks', '--only', 'forged.signature']
    const { wrong } = await certify({ file: copy.file, args })
    expect(wrong).toEqual([expect.stringContaining('forged.signature: A callback without a signature was counted')])
  })
})
