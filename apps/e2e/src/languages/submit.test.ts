import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import type { Changes, Tenant } from '../adapters/tenant.ts'
import { openJourney } from '../guides/reader.fixture.ts'
import { canRun, programFolder, programsOf, run } from './programs.fixture.ts'

const programs = programsOf('submit.md')
const folder = programFolder(programs)
afterAll(() => folder.remove())
const journey = openJourney()

it('the page has a program for each of the four', () => {
  expect(programs.map(({ language }) => language)).toEqual(['sh', 'php', 'python', 'java'])
})

describe.each(programs.filter(canRun))('$file', program => {
  const submit = (lead: unknown, origin: string, key: string) => {
    writeFileSync(join(folder.path, 'lead.json'), JSON.stringify(lead))
    const env = { LEAD_BASE_URL: `${origin}/api/v1`, LEAD_PUBLISHER_API_KEY: key }
    return run(folder.path, program, ['lead.json'], env)
  }
  const submitTo = (tenant: Tenant, changes?: Changes, email?: string) =>
    submit(tenant.body(changes, email), journey.adapter.url, tenant.publisherKey)
  const fault = (tenant: Tenant, effect: object) =>
    tenant.control('POST', '/faults', { body: { match: { operation: 'submitLead' }, effect, times: 1 } })
  const newest = async (tenant: Tenant) => (await tenant.wholeLeads())[0]

  it('prints where to redirect the customer of a distributed lead', async () => {
    const tenant = await journey.newTenant()
    const { code, printed } = await submitTo(tenant)
    const { lead_id } = await newest(tenant)
    expect(code, printed).toBe(0)
    const [outcome, id, url = ''] = printed.trim().split(' ')
    expect([outcome, id]).toEqual(['distributed', lead_id])
    expect((await fetch(url)).status).toBe(200)
  })

  it('prints no address for a new lead, nor for a rejected one', async () => {
    const tenant = await journey.newTenant()
    const accepted = await submitTo(tenant, { 'product_data.loan_amount': 60_000 }, 'ana@example.com')
    const repeated = await submitTo(tenant, {}, 'ana@example.com')
    const { lead_id } = await newest(tenant)
    expect(accepted).toEqual({ code: 0, printed: `new ${lead_id}\n` })
    expect(repeated).toEqual({ code: 0, printed: 'rejected customer_already_exists\n' })
  })

  it('prints a status that it does not know, and no address', async () => {
    const reply = { status: 'queued', lead_id: crypto.randomUUID(), redirect_url: null }
    await using service = await openReceiver(response => response.end(JSON.stringify(reply)))
    const { code, printed } = await submit({}, service.url, 'key')
    expect([code, printed.trim()]).toEqual([0, `queued ${reply.lead_id}`])
  })

  it('says what is wrong with a lead or a key, and that no lead was created', async () => {
    const tenant = await journey.newTenant()
    const invalid = await submitTo(tenant, { 'product_data.loan_amount': 1 })
    const key = 'sandbox_pub_wrong'
    const unauthorized = await submit(tenant.body(), journey.adapter.url, key)
    expect([invalid.code, unauthorized.code]).toEqual([1, 1])
    expect(invalid.printed).toMatch(/with 400\b.*product_data\.loan_amount/)
    expect(unauthorized.printed).toContain('with 401')
    expect(unauthorized.printed).not.toContain(key)
    expect(await tenant.wholeLeads()).toEqual([])
  })

  it.each([
    ['a lost reply', { lost_reply: true }],
    ['a failure of the service', { status: 503 }],
    ['half a reply', { malformed: true }],
  ])('submits the lead once where there is %s, and says that it may exist', async (_name, effect) => {
    const tenant = await journey.newTenant()
    await fault(tenant, effect)
    const { code, printed } = await submitTo(tenant)
    expect(code, printed).toBe(3)
    expect(printed).toContain('The lead may exist')
    const { requests } = (await tenant.control('GET', '/requests?operation=submitLead')).json
    expect(requests).toHaveLength(1)
  })

  it('submits nothing where it has no address, and does not take that for a lost reply', async () => {
    writeFileSync(join(folder.path, 'lead.json'), '{}')
    const { code } = await run(folder.path, program, ['lead.json'], {
      LEAD_BASE_URL: '',
      LEAD_PUBLISHER_API_KEY: 'key',
    })
    expect([0, 3]).not.toContain(code)
  })

  it('gives its key to nobody by a redirect', async () => {
    await using elsewhere = await openReceiver()
    await using service = await openReceiver(withStatus(307, { location: elsewhere.url }))
    expect((await submit({}, service.url, 'key')).code).toBe(3)
    expect([service.received.length, elsewhere.received.length]).toEqual([1, 0])
    expect(service.received).toMatchObject([{ target: '/api/v1/lead', headers: { apikey: 'key' }, body: '{}' }])
  })
})
