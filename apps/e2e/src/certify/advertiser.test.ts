import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { runExample } from '../examples/run-example.ts'
import { advertiserFaults, injectFaults } from './faulty-examples.fixture.ts'
import { certifyInParts, failedIds, runCertify } from './run-certify.fixture.ts'

/** Certifies the example, or a copy of it. */
async function certifyOnce(source: string | undefined, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-'))
  const port = String(await freePort())
  const retries = args.includes('retry.order')
  const environment = {
    DATA: join(folder, 'loans.db'),
    LEAD_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
    LEAD_ADVERTISER_API_KEY: 'sandbox_adv_demo1_0000000000000000',
    DELIVERY_TOKEN: 'agreed',
    RETRY_SECONDS: retries ? '2' : '0.5',
    TIMEOUT_SECONDS: '3',
  }
  const application = await runExample('advertiser', environment, source)
  try {
    const { site, console } = application.urls
    const postback = `SITE=${site} CONSOLE=${console} DELIVERY_TOKEN=agreed apps/example-advertiser/report-event.sh`
    // The retries of one report may take seconds on a busy machine, and the next report waits behind them.
    const quiet = retries ? '6' : '1.5'
    const flags = ['--port', port, '--postback', postback, '--patience', '15', '--quiet', quiet]
    return await runCertify('advertiser', ...flags, ...args)
  } finally {
    await application.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.concurrent('a certification of the example advertiser', { timeout: 300_000 }, () => {
  it('passes every check under both profiles', async () => {
    const { code, report, wrong } = await certifyInParts('advertiser', /^retry\./, (...only) =>
      certifyOnce(undefined, only),
    )
    expect(wrong).toEqual([])
    expect([code, report.passed, report.checks.length]).toEqual([0, 39, 39])
  })

  it('finds each of ten injected faults', async () => {
    using copy = injectFaults('advertiser', advertiserFaults)
    const checks = advertiserFaults.map(({ check }) => check)
    const certified = await certifyOnce(copy.source, ['--profile', 'prose', ...checks.flatMap(id => ['--only', id])])
    expect(failedIds(certified), certified.wrong.join('\n')).toEqual(checks.toSorted())
    expect([certified.code, checks.length]).toEqual([1, 10])
    expect(certified.stdout).not.toMatch(/sandbox_adv|[0-9a-f]{64}|@/)
  })
})
