import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { submissionOf } from '../adapters/tenant.ts'
import { sandboxCli } from './sandbox-cli.ts'

interface Lead {
  lead_id: string
  status: string
  rejection_reason?: string
  email: string
  events: { event: string; via: string }[]
}

const { alone, cli, text, json, control } = sandboxCli()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A lead without the ids of its publisher and product. */
async function leadWithoutIds(email: string) {
  const { product_id, publisher_id, ...lead } = submissionOf(await control().show(), email)
  return JSON.stringify(lead)
}

const kept = async () => (await control().leads.list()).leads

describe('submit', () => {
  it('submits a minimal lead for a new customer each time', async () => {
    const one = await json<Lead>('submit')
    const printed = await text('submit')
    const leads = await kept()
    expect(leads.map(({ status }) => status)).toEqual(['distributed', 'distributed'])
    expect(leads.map(({ lead_id }) => lead_id)).toContain(one.lead_id)
    expect(printed).toContain(`Why: lead-sandbox leads explain ${leads[0]?.lead_id}`)
  })

  it('submits a lead from a file or stdin, with the ids filled in', async () => {
    const file = join(folder, 'lead.json')
    writeFileSync(file, await leadWithoutIds('file@example.com'))
    await json('submit', file)
    expect(await cli(['submit', '-'], await leadWithoutIds('stdin@example.com'))).toMatchObject({ code: 0 })
    const emails = (await kept()).map(({ email }) => email)
    expect(emails).toEqual(['stdin@example.com', 'file@example.com'])
  })

  it("sends a file unchanged on request, and prints the service's response field by field", async () => {
    const { code, stdout, stderr } = await cli(['submit', '-', '--no-fill'], await leadWithoutIds('a@example.com'))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('  product_id: is required\n  publisher_id: is required')
  })

  it('forces an outcome by a scenario', async () => {
    expect(await json('submit', '--scenario', 'fraud_suspected')).toMatchObject({ rejection_reason: 'fraud_suspected' })
    const lost = await cli(['submit', '--scenario', 'lost_reply'])
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('broke before the response was complete') })
  })
})

describe('trigger', () => {
  it('reports events by pixel or body, as often as requested', async () => {
    const { lead_id } = await json<Lead>('submit')
    await text('trigger', 'approved', '--lead', lead_id)
    const { replies } = await json<{ replies: object[] }>(
      ...['trigger', 'converted', '--lead', lead_id, '--via', 'body', '--repeat', '2'],
    )
    expect(replies).toHaveLength(2)
    const { events } = await control().leads.show(lead_id)
    expect(events.map(({ event, via }) => [event, via])).toEqual([
      ['approved', 'pixel'],
      ['converted', 'body'],
    ])
  })

  it('finds the newest lead of an address, like every command that accepts a lead', async () => {
    await cli(['submit', '-'], await leadWithoutIds('ana@example.com'))
    await text('trigger', 'approved', '--lead', 'ana@example.com')
    expect(await json('callbacks', 'wait', '--lead', 'ana@example.com')).toMatchObject({ event: 'loan_issued' })
    expect(await json('leads', 'show', 'ana@example.com')).toMatchObject({ events: [{ event: 'approved' }] })
    const { code, stderr } = await cli(['trigger', 'approved', '--lead', 'bea@example.com'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('No stored lead has this address')])
  })

  it('exits with 1 if the service refuses the report, and still prints the response', async () => {
    const { lead_id } = await json<Lead>('submit')
    const { code, stdout, stderr } = await cli(['trigger', 'nonsense', '--lead', lead_id, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ replies: [{ status: 400 }] })
    expect(stderr).toContain('refused 1 of 1 reports')
  })
})

describe('leads', () => {
  it('lists by outcome and by customer, page by page', async () => {
    const { lead_id } = await json<Lead>('submit')
    await json('submit', '--scenario', 'age_restriction')
    const table = await text('leads', 'list', '--status', 'rejected')
    expect(table).toContain('age_restriction')
    expect(table).not.toContain(lead_id)
    const page = await json<{ leads: Lead[]; next: string }>('leads', 'list', '--limit', '1')
    const rest = await json<{ leads: Lead[] }>('leads', 'list', '--before', page.next)
    expect(rest.leads).toMatchObject([{ lead_id }])
    const email = rest.leads[0]?.email ?? ''
    expect(await json('leads', 'list', '--email', email)).toMatchObject({ leads: [{ lead_id }] })
  })

  it('shows one with its postback URL', async () => {
    const { lead_id } = await json<Lead>('submit')
    expect(await text('leads', 'show', lead_id)).toMatch(/\/status\?token=[0-9a-f]{64}/)
    expect(await json('leads', 'show', lead_id)).toEqual(await control().leads.show(lead_id))
  })

  it("shows the response of an advertiser's back end if the account has one", async () => {
    const backend_url = 'http://127.0.0.1:9/leads'
    expect(await text('tenants', 'change', '--set', `advertisers.0.backend_url=${backend_url}`)).toMatch(
      new RegExp(`leads go to\\n.*${backend_url}\\n`),
    )
    await text('submit', '--email', 'ana@example.com')
    await expect
      .poll(() => text('leads', 'show', 'ana@example.com'), { timeout: 30_000 })
      .toMatch(/back end +postback URL\n.*accepted +connection refused +http/)
  })

  it('explains a stored lead: which check rejected it, and which advertiser accepted it', async () => {
    const rejected = await json<Lead>('submit', '--scenario', 'age_restriction')
    expect(await text('leads', 'explain', rejected.lead_id)).toMatch(/scenario +forced +age_restriction/)
    const { lead_id } = await json<Lead>('submit')
    expect(await text('leads', 'explain', lead_id)).toMatch(/Advertisers\n.*\n.* accepted/)
  })

  it('shows which field of a stored lead the service ignored', async () => {
    const lead = JSON.parse(await leadWithoutIds('typo@example.com'))
    lead.customer.personal_data.nationality = 'ES'
    await cli(['submit', '-'], JSON.stringify(lead))
    const explained = await text('leads', 'explain', 'typo@example.com')
    expect(explained).toMatch(/^Probably misspelled\ncustomer\.personal_data\.nationality .*`nacionality`/m)
  })

  it('explains a file and stdin, and submits nothing', async () => {
    const file = join(folder, 'explained.json')
    writeFileSync(file, await leadWithoutIds('dry@example.com'))
    expect(await json('leads', 'explain', file)).toMatchObject({
      would: { status: 200, body: { status: 'distributed' } },
    })
    expect(await text('leads', 'explain', file, '--scenario', 'blacklisted')).toContain('rejected: blacklisted')
    const { code, stdout } = await cli(['leads', 'explain', '-'], '{}')
    expect([code, stdout]).toEqual([0, expect.stringContaining('consents is required')])
    expect(await kept()).toEqual([])
  })
})

describe('leads repro', () => {
  const saved = (text: string) => {
    const file = join(folder, 'bug.json')
    writeFileSync(file, text)
    return file
  }

  it('prints a file for which repro run makes the same decision, without a sandbox', async () => {
    const { lead_id, email } = await json<Lead>('submit').then(async ({ lead_id }) => control().leads.show(lead_id))
    for (const named of [lead_id, email]) {
      const file = saved(await text('leads', 'repro', named))
      const { code, stdout, stderr } = await alone('repro', 'run', file)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`The decision is the same as in ${file}.`)
      expect(stdout).toMatch(/distribution +passed/)
    }
  })

  it('accepts a submission that stored no lead, and a scenario', async () => {
    const content = await leadWithoutIds('again@example.com')
    expect(await cli(['submit', '-'], content)).toMatchObject({ code: 0 })
    const taken = await cli(['leads', 'repro', '-'], content)
    expect(JSON.parse(taken.stdout)).toMatchObject({
      customer: { has_lead: true },
      expected: { would: { body: { rejection_reason: 'customer_already_exists' } } },
    })
    const forced = await cli(['leads', 'repro', '-', '--scenario', 'blacklisted'], content)
    expect(JSON.parse(forced.stdout)).toMatchObject({ scenario: 'blacklisted' })
    expect(await alone('repro', 'run', saved(forced.stdout))).toMatchObject({ code: 0, stderr: '' })
  })

  it('exits with 1 for another decision or an invalid file', async () => {
    const file = JSON.parse(await text('leads', 'repro', (await json<Lead>('submit')).lead_id))
    file.product.active = false
    const other = await alone('repro', 'run', saved(JSON.stringify(file)))
    expect([other.code, other.stdout]).toEqual([1, expect.stringMatching(/verdict +passed +rejected/)])
    expect(other.stderr).toContain('first at: product_active.')
    const none = await alone('repro', 'run', saved('{"format":"lead-sandbox-repro/2"}'))
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toContain('is not a repro file: format must be one of lead-sandbox-repro/1')
    expect(await alone('repro', 'run', join(folder, 'none.json'))).toMatchObject({ code: 1 })
    expect(await alone('repro', 'run')).toMatchObject({ code: 2 })
  })
})
