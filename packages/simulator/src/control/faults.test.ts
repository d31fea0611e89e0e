import { describe, expect, it } from 'vitest'
import { effectsOn } from '../effects/effects.ts'
import { noon } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

const onSubmit = { operation: 'submitLead' }
const onCallback = { operation: 'callback' }

describe('a fault', () => {
  it('is listed in insertion order with its counts, and removed by its id or with all others', async () => {
    const { done, get, control, submit, leads } = await openTenantClient()
    const first = await done('POST', '/faults', { match: onSubmit, effect: { status: 503 }, after: 1, times: 1 })
    const second = await done('POST', '/faults', { match: onCallback, effect: { drop: true } })
    expect(first).toMatchObject({ match: onSubmit, effect: { status: 503 }, matched: 0, acted: 0 })
    expect((await get('/faults')).faults).toEqual([first, second])
    const statuses = []
    for (let nth = 0; nth < 3; nth++) statuses.push((await submit(leads.distributed, `c${nth}@example.com`)).status)
    expect(statuses).toEqual(['distributed', 503, 'distributed'])
    expect((await get('/faults')).faults[0]).toMatchObject({ fault_id: first.fault_id, acted: 1 })
    expect(await done('DELETE', `/faults/${first.fault_id}`)).toEqual({ cleared: 1 })
    expect((await control('DELETE', `/faults/${first.fault_id}`)).status).toBe(404)
    expect(await done('DELETE', '/faults')).toEqual({ cleared: 1 })
    expect((await get('/faults')).faults).toEqual([])
    expect(await done('DELETE', '/faults')).toEqual({ cleared: 0 })
  })

  it('says how many requests it lets through, when it is used up, and which earlier one acts first', async () => {
    const { done, get, submit, leads } = await openTenantClient()
    const effect = { status: 503 }
    const add = (fault: object) => done('POST', '/faults', { match: onSubmit, effect, ...fault })
    const states = async () => (await get('/faults')).faults.map((fault: Shown) => fault.blocked_by ?? fault.state)
    expect(await add({ after: 2, times: 1 })).toMatchObject({ state: 'active', lets_through: 2 })
    await add({ probability: 0 })
    await add({ match: { ...onSubmit, scenario: 'New' } })
    await add({})
    await add({ match: onCallback })
    await add({ match: { ...onSubmit, scenario: 'new' } })
    await add({ effect: { latency_ms: 0 } })
    expect(await states()).toEqual(['active', 'used_up', 'active', 'active', 'active', 'f3', 'used_up'])
    await done('DELETE', '/faults/f4')
    for (let nth = 0; nth < 2; nth++) await submit(leads.distributed, `c${nth}@example.com`)
    expect((await get('/faults')).faults[0]).toMatchObject({ state: 'active', lets_through: 0 })
    expect(await states()).toEqual(['active', 'used_up', 'f1', 'active', 'f1', 'used_up'])
    await submit(leads.distributed, 'c2@example.com')
    expect(await states()).toEqual(['used_up', 'used_up', 'active', 'active', 'f3', 'used_up'])
  })

  it.each([
    [{ operation: 'submitLead' }, { status: 400 }],
    [{ operation: 'reportStatus' }, { status: 599, retry_after: 7 }],
    [{ operation: 'reportEvent' }, { latency_ms: 5 }],
    [onSubmit, { timeout: true }],
    [onSubmit, { reset: true }],
    [onSubmit, { malformed: true }],
    [onSubmit, { lost_reply: true }],
    [onCallback, { drop: true }],
    [onCallback, { delay: 'PT5S' }],
    [onCallback, { duplicate: 2 }],
    [onCallback, { reorder: true }],
    [onCallback, { status: 200 }],
  ])('on %j accepts the effect %j', async (match, effect) => {
    const { done } = await openTenantClient()
    expect((await done('POST', '/faults', { match, effect })).effect).toEqual(effect)
  })

  it.each([
    [onSubmit, {}, ['effect']],
    [onSubmit, { retry_after: 1 }, ['effect', 'effect.retry_after']],
    [onSubmit, { status: 500, latency_ms: 5 }, ['effect']],
    [onSubmit, { status: 399 }, ['effect.status']],
    [onSubmit, { status: 600 }, ['effect.status']],
    [onSubmit, { latency_ms: 5, retry_after: 1 }, ['effect.retry_after']],
    [onSubmit, { drop: true }, ['effect.drop']],
    [onSubmit, { delay: 'PT5S' }, ['effect.delay']],
    [onSubmit, { timeout: false }, ['effect.timeout']],
    [onCallback, { latency_ms: 5 }, ['effect.latency_ms']],
    [onCallback, { timeout: true }, ['effect.timeout']],
    [onCallback, { status: 503, retry_after: 1 }, ['effect.retry_after']],
    [{ operation: 'other' }, { status: 500 }, ['match.operation']],
    [{ operation: 'submitLead', scenario: '' }, { status: 500 }, ['match.scenario']],
  ])('on %j refuses the effect %j', async (match, effect, fields) => {
    const { refused, get } = await openTenantClient()
    expect([...new Set(await refused('POST', '/faults', { match, effect }))]).toEqual(expect.arrayContaining(fields))
    expect((await get('/faults')).faults).toEqual([])
  })

  it('that cannot apply says which effects can', async () => {
    const { control } = await openTenantClient()
    const issueOf = async (match: object, effect: object) => {
      const { json } = await control('POST', '/faults', { match, effect })
      return (json as Shown).details[0].issue
    }
    expect(await issueOf(onCallback, { reset: true })).toBe(
      `does not apply to callback: use one of ${effectsOn('callback').join(', ')}`,
    )
    expect(await issueOf(onSubmit, { drop: true })).toBe(
      `does not apply to submitLead: use one of ${effectsOn('submitLead').join(', ')}`,
    )
  })

  it.each([{ times: -1 }, { after: 0.5 }, { probability: 1.1 }, { probability: -0.1 }, { more: 1 }])(
    'is refused with %j',
    async more => {
      const { control } = await openTenantClient()
      const { status } = await control('POST', '/faults', { match: onSubmit, effect: { status: 500 }, ...more })
      expect(status).toBe(400)
    },
  )

  it('counts towards a limit of a thousand', async () => {
    const { done, control } = await openTenantClient()
    const one = { match: onSubmit, effect: { status: 500 }, times: 0 }
    for (let nth = 0; nth < 1_000; nth++) await done('POST', '/faults', one)
    const { json } = await control('POST', '/faults', one)
    expect((json as Shown).error).toBe('too_many')
  })

  it('delays a call by its latency, in real time', async () => {
    const { done, submit, leads, time } = await openTenantClient({
      name: 'qa',
      frozen_at: new Date(noon).toISOString(),
    })
    await done('POST', '/faults', { match: onSubmit, effect: { latency_ms: 1_500 } })
    let reply: Shown
    const submitting = submit(leads.distributed).then(answered => {
      reply = answered
    })
    await time.advance(1_499)
    expect(reply).toBeUndefined()
    await time.advance(1)
    await submitting
    expect(reply.status).toBe('distributed')
  })
})

describe('a scenario', () => {
  const header = (scenario: string) => ({ 'x-sandbox-scenario': scenario })

  it.each([
    ['new', 'new', undefined],
    ['distributed', 'distributed', undefined],
    ['fraud_suspected', 'rejected', 'fraud_suspected'],
    ['http_401', 401, undefined],
    ['http_422', 422, undefined],
    ['http_500', 500, undefined],
    ['http_503', 503, undefined],
  ])('%s forces its outcome, by the header and by the address', async (scenario, status, rejection_reason) => {
    const { leads, submit } = await openTenantClient()
    const outcome = { status, ...(rejection_reason && { rejection_reason }) }
    expect(await submit(leads.ageRestricted, 'a@example.com', header(scenario))).toMatchObject(outcome)
    expect(await submit(leads.ageRestricted, `${scenario.toUpperCase()}+b@Sandbox.test`)).toMatchObject(outcome)
  })

  it.each([
    ['timeout', 'withheld', 0],
    ['lost_reply', 'cut', 1],
  ])('%s breaks the response, and is journaled as broken', async (scenario, broken, stored) => {
    const { leads, call, account, get } = await openTenantClient()
    const headers = { apikey: account.publisher.api_key, ...header(scenario) }
    await call('POST', '/api/v1/lead', leads.distributed(), headers).catch(() => undefined)
    expect((await get('/requests')).requests).toMatchObject([{ status: 0, broken }])
    expect((await get('/leads')).leads).toHaveLength(stored)
  })

  it('of a chain advances with each submission of an address, then repeats the last', async () => {
    const { leads, submit } = await openTenantClient()
    const chained = async (address: string) => {
      const statuses = []
      for (let nth = 0; nth < 4; nth++) statuses.push((await submit(leads.distributed, address)).status)
      return statuses
    }
    const expected = [500, 422, 503, 503]
    expect(await chained('http_500.http_422.http_503+a@sandbox.test')).toEqual(expected)
    expect(await chained('http_500.http_422.http_503+b@sandbox.test')).toEqual(expected)
    const ofHeader = []
    for (const email of ['a@example.com', 'a@example.com', 'b@example.com'])
      ofHeader.push((await submit(leads.distributed, email, header('http_500.new'))).status)
    expect(ofHeader).toEqual([500, 'new', 500])
  })

  it('is not used up by a dry run', async () => {
    const { leads, done, submit } = await openTenantClient()
    const lead = leads.distributed({ customer: { contact: { email: { address: 'http_500.new+a@sandbox.test' } } } })
    for (let nth = 0; nth < 2; nth++)
      expect((await done('POST', '/leads/explain', lead)).would).toMatchObject({ status: 500 })
    expect((await submit(lead)).status).toBe(500)
    expect((await done('POST', '/leads/explain', lead)).would).toMatchObject({ status: 200, body: { status: 'new' } })
  })

  it('in a header must be known; an address without a known one is ordinary', async () => {
    const { leads, submit, control } = await openTenantClient()
    for (const wrong of ['sold', '', 'new.', 'http_500.sold']) {
      const { status, details } = await submit(leads.distributed, 'a@example.com', header(wrong))
      expect([status, details]).toEqual([
        400,
        [{ field: 'x-sandbox-scenario', issue: expect.stringContaining('new, ') }],
      ])
      expect((await control('POST', '/leads/explain', leads.distributed(), header(wrong))).status).toBe(400)
    }
    expect((await submit(leads.distributed, 'sold+a@sandbox.test')).status).toBe('distributed')
    expect((await submit(leads.distributed, 'new+a@example.test')).status).toBe('distributed')
  })

  it("selects the calls that a fault acts on: submissions by their own, reports by their lead's", async () => {
    const { leads, done, submit, trigger } = await openTenantClient()
    const fault = (operation: string, scenario: string) =>
      done('POST', '/faults', { match: { operation, scenario }, effect: { status: 503 } })
    await fault('submitLead', 'new')
    await fault('reportEvent', 'distributed')
    const address = 'distributed+a@sandbox.test'
    expect((await submit(leads.distributed, 'a@example.com', header('new'))).status).toBe(503)
    expect((await submit(leads.distributed, 'new+a@sandbox.test')).status).toBe(503)
    const byAddress = await submit(leads.distributed, address)
    const byHeader = await submit(leads.distributed, 'b@example.com', header('distributed'))
    const plain = await submit(leads.distributed, 'c@example.com')
    expect([byAddress.status, byHeader.status, plain.status]).toEqual(['distributed', 'distributed', 'distributed'])
    const replies = []
    for (const { lead_id } of [byAddress, byHeader, plain]) replies.push((await trigger(lead_id, 'approved'))[0].status)
    expect(replies).toEqual([503, 503, 200])
  })
})
