import { describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { runExample } from '../examples/run-example.ts'
import { advertiserFaults, injectFaults } from './faulty-examples.fixture.ts'
import { certifyInParts, failedIds, runCertify } from './run-certify.fixture.ts'

/** Certifies the example or a copy of it. */
async function certifyOnce(file: string | undefined, args: readonly string[]) {
  const port = String(await freePort())
  const environment = {
    LEAD_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
    LEAD_ADVERTISER_API_KEY: 'sandbox_adv_demo1_0000000000000000',
  }
  const { url, end } = await runExample('advertiser', environment, file)
  try {
    const flags = ['--port', port, '--postback', `${url}/staff/report`, '--patience', '30', '--quiet', '1.5']
    return await runCertify('advertiser', ...flags, ...args)
  } finally {
    await end()
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
    const certified = await certifyOnce(copy.file, ['--profile', 'prose', ...checks.flatMap(id => ['--only', id])])
    expect(failedIds(certified), certified.wrong.join('\n')).toEqual(checks.toSorted())
    expect([certified.code, checks.length]).toEqual([1, 10])
    expect(certified.stdout).not.toMatch(/sandbox_adv|[0-9a-f]{64}|@/)
  })
})
