import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { runExample } from '../examples/run-example.ts'
import { advertiserFaults } from './advertiser-faults.ts'
import { plantFaults } from './planted-example.ts'
import { runCertify } from './run-certify.ts'

/** Certifies the example, or a copy of it, in a process of its own. */
async function certify(source?: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-'))
  const port = String(await freePort())
  const lender = await runExample(
    'advertiser',
    {
      DATA: join(folder, 'loans.db'),
      LEAD_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
      LEAD_ADVERTISER_API_KEY: 'sandbox_adv_demo1_0000000000000000',
      DELIVERY_TOKEN: 'agreed',
      RETRY_SECONDS: '2',
    },
    source,
  )
  try {
    const { site, console } = lender.urls
    const postback = `SITE=${site} CONSOLE=${console} DELIVERY_TOKEN=agreed apps/example-advertiser/report-event.sh`
    return await runCertify(
      'advertiser',
      '--port',
      port,
      '--postback',
      postback,
      '--patience',
      '15',
      '--quiet',
      '3',
      ...args,
    )
  } finally {
    await lender.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.concurrent('a certification of the example lender', { timeout: 300_000 }, () => {
  it('passes every check under both profiles', async () => {
    const { code, report, amiss } = await certify()
    expect(amiss).toEqual([])
    expect([code, report.passed, report.checks.length]).toEqual([0, 39, 39])
  })

  it('finds each of ten planted faults, and nothing else', async () => {
    using copy = plantFaults('advertiser', advertiserFaults)
    const { code, report, amiss, stdout } = await certify(copy.source)
    const failed = new Set(report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id))
    expect([...failed].sort(), amiss.join('\n')).toEqual(advertiserFaults.map(({ check }) => check).sort())
    expect([code, report.not_seen, failed.size]).toEqual([1, 0, 10])
    expect(stdout).not.toMatch(/sandbox_adv|[0-9a-f]{64}|@/)
  })
})
