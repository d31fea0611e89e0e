import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from './control/tenant-client.fixture.ts'
import { originHeader, originValue, readOrigin } from './origin.ts'
import { settled } from './ports.fixture.ts'

const attempt = '0b9a4f5e-6c1d-4e2f-8a3b-1c2d3e4f5a6b'

describe('the header of an origin', () => {
  it('names a sandbox tool and the click; any other value means the integration', () => {
    expect(readOrigin(originValue('console'))).toEqual({ tool: 'console' })
    expect(readOrigin(originValue('command-line', attempt))).toEqual({ tool: 'command-line', attempt })
    expect(readOrigin('console; attempt=ana@example.com')).toEqual({ tool: 'console' })
    for (const other of [undefined, '', 'Console', 'ana@example.com', `; attempt=${attempt}`])
      expect(readOrigin(other)).toEqual({})
  })
})

const seenIn = ({ items }: Shown) =>
  Object.fromEntries(items.flatMap(({ kind, name, count }: Shown) => (count > 0 ? [[`${kind}/${name}`, count]] : [])))

describe('the coverage', () => {
  it('counts the integration and the sandbox tools separately', async () => {
    const { submit, leads, get, control, call, account } = await openTenantClient()
    const fromConsole = { [originHeader]: originValue('console') }
    const own = await submit(leads.distributed)
    const { lead_id } = await submit(leads.distributed, 'console@example.com', fromConsole)
    await submit(leads.ageRestricted, undefined, { [originHeader]: originValue('command-line') })
    await submit(leads.validationError, undefined, { [originHeader]: 'ana@example.com' })
    await control('POST', `/leads/${lead_id}/trigger`, { event: 'approved' }, fromConsole)
    const status = { status: 'completed', advertiser_id: account.advertisers[0]?.advertiser_id }
    const keyed = { apikey: account.advertisers[0]?.api_key ?? '', ...fromConsole }
    await call('POST', `/api/v1/lead/${own.lead_id}/status`, status, keyed)
    await settled()
    expect(seenIn(await get('/coverage'))).toEqual({ 'outcome/distributed': 1, 'error/validation_error': 1 })
    expect(seenIn(await get('/coverage?origin=integration'))).toEqual(seenIn(await get('/coverage')))
    expect(seenIn(await get('/coverage?origin=console'))).toEqual({
      'outcome/distributed': 1,
      'event/approved': 1,
      'event/completed': 1,
      'callback/delivered': 2,
    })
    expect(seenIn(await get('/coverage?origin=command-line'))).toEqual({
      'outcome/rejected': 1,
      'reason/age_restriction': 1,
    })
    expect((await control('GET', '/coverage?origin=me')).status).toBe(400)
    const { requests } = await get('/requests')
    expect(requests.map(({ origin }: Shown) => origin)).toEqual([
      'console',
      'console',
      undefined,
      'command-line',
      'console',
      undefined,
    ])
    expect((await get('/callbacks')).callbacks.map(({ origin }: Shown) => origin)).toEqual(['console', 'console'])
  })

  it('counts an attempt once, however often the browser resent it', async () => {
    const { submit, leads, get } = await openTenantClient()
    const once = { [originHeader]: originValue('console', attempt) }
    await submit(leads.distributed, 'ana@example.com', once)
    expect((await submit(leads.distributed, 'ana@example.com', once)).rejection_reason).toBe('customer_already_exists')
    expect(seenIn(await get('/coverage?origin=console'))).toEqual({ 'outcome/distributed': 1 })
    expect((await get('/requests')).requests.map(({ resent }: Shown) => resent)).toEqual([true, undefined])
  })

  it('decides the same with and without an origin', async () => {
    const decide = async (headers: Record<string, string>) => {
      const { submit, leads, get } = await openTenantClient()
      const { lead_id, ...response } = await submit(leads.distributed, 'ana@example.com', headers)
      const { received_at: _, ...lead } = await get(`/leads/${lead_id}`)
      return [lead_id, response, lead]
    }
    expect(await decide({ [originHeader]: originValue('console', attempt) })).toEqual(await decide({}))
  })
})
