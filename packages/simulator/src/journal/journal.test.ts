import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { overridden } from '../storage/overridden-tables.fixture.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'

type Calls = Awaited<ReturnType<typeof openTenantClient>>

const newest = async ({ get }: Calls): Promise<Shown> => (await get('/requests?limit=1')).requests[0]

/** A tenant's advertiser with a lead, and functions to report by body and by pixel. */
async function openWithHolder(settings: object = {}) {
  const calls = await openTenantClient({ name: 'qa', seed: 'journal', settings })
  const { lead_id } = await calls.submit(calls.leads.distributed)
  const { deliveries } = await calls.get(`/leads/${lead_id}`)
  const { advertiser_id, postback_url } = deliveries.find((each: Shown) => each.decision === 'accepted')
  const { api_key } =
    calls.account.advertisers.find(each => each.advertiser_id === advertiser_id) ?? expect.fail('No such advertiser.')
  const report = (body: object, { method = 'POST', apikey = api_key, path = lead_id, query = '' } = {}) =>
    calls.call(method, `/api/v1/lead/${path}/status${query}`, body, { apikey })
  const { pathname, search } = new URL(postback_url)
  const pixel = (query: string) => calls.call('GET', `${pathname}${search}${query}`)
  return { ...calls, lead_id, advertiser_id, report, pixel }
}

describe('the journal', () => {
  it('has the event of a report by body, and whether it was new', async () => {
    const calls = await openWithHolder()
    const { report, lead_id } = calls
    expect((await report({ status: 'loan_issued' })).json).toEqual({ lead_id, status: 'loan_issued' })
    const entry = { operation: 'reportStatus', method: 'POST', status: 200, lead_id, event: 'approved' }
    expect(await newest(calls)).toMatchObject({ ...entry, outcome: 'received', path: `/api/v1/lead/${lead_id}/status` })
    await report({ status: 'approved' }, { method: 'PATCH', path: lead_id.toUpperCase() })
    expect(await newest(calls)).toMatchObject({ ...entry, method: 'PATCH', outcome: 'ignored' })
  })

  it('contains no names chosen by the sender, such as free event names or unknown pixel parameters', async () => {
    const calls = await openWithHolder({ status_vocabulary: 'any' })
    await calls.report({ status: 'ana@example.com' })
    expect(await newest(calls)).toMatchObject({ event: 'other', outcome: 'received' })
    await calls.pixel('&event=approved&ana=1&ana=2')
    expect(await newest(calls)).toMatchObject({ issues: [{ field: 'query', issue: 'must be given only once' }] })
    await calls.pixel('&event=approved&ref=1&ref=2')
    expect(await newest(calls)).toMatchObject({ issues: [{ field: 'ref', issue: 'must be given only once' }] })
    await calls.call('GET', '/api/v1/lead/ana@example.com/status')
    const { requests } = await calls.get('/requests?limit=500')
    expect(JSON.stringify(requests)).not.toContain('ana')
  })

  it.each([
    [19, 19],
    [20, 20],
    [21, 20],
    [60, 20],
  ])('of %i issues, stores %i and says if there are more', async (wrong, kept) => {
    const calls = await openTenantClient()
    const { leads, submit } = calls
    const lead = leads.distributed()
    const entries = Array.from({ length: wrong }, () => ({ type: 'x', accepted: true, accepted_at: 'x', version: '1' }))
    const { details } = await submit({ ...lead, consents: { ...lead.consents, entries } })
    expect(details).toHaveLength(wrong)
    const { issues } = await newest(calls)
    expect(issues).toHaveLength(kept)
    expect(issues.slice(0, 19)).toEqual(details.slice(0, 19))
    const more = { field: 'body', issue: 'has more issues: the journal records only the first 19 of a request' }
    expect(issues[19]).toEqual(wrong > 20 ? more : details[19])
  })

  it('has at most five near misses', async () => {
    const calls = await openTenantClient()
    const lead: Shown = calls.leads.distributed()
    lead.customer.personal_data.birhtday = '1990-01-01'
    await calls.submit(lead)
    expect((await newest(calls)).near_misses).toEqual([
      { field: 'customer.personal_data.birhtday', message: expect.stringContaining('birthday') },
    ])
    const names = ['adress', 'profil', 'financial_instrument', 'external_idd', 'contacts', 'personal_dat', 'profiles']
    for (const name of names) lead.customer[name] = {}
    await calls.submit(lead)
    expect((await newest(calls)).near_misses).toHaveLength(5)
    await calls.submit(calls.leads.distributed, 'plain@example.com')
    expect(await newest(calls)).not.toHaveProperty('near_misses')
  })

  it('has the deciding check of a rejected lead, and the trace of a rejection without one, but no values from the sender', async () => {
    const calls = await openTenantClient()
    const { lead_id } = await calls.submit(calls.leads.incomeInsufficient)
    const kept = await newest(calls)
    expect(kept).toMatchObject({ lead_id, check: 'income', reason: 'income_insufficient', outcome: 'rejected' })
    expect(kept).not.toHaveProperty('trace')
    expect(kept.warnings).toEqual([])
    await calls.submit(calls.leads.unknownProduct)
    const { trace, check, outcome, warnings } = await newest(calls)
    expect(warnings).toMatchObject([{ switch: 'semantic_refusals', interpretation: 'http_422' }])
    expect([check, outcome]).toEqual(['product', 'invalid_product'])
    expect(trace.some((step: Shown) => step.verdict === 'rejected')).toBe(true)
    for (const step of trace) expect(step).not.toHaveProperty('input')
  })

  it('keeps the newest requests, up to its limit', async () => {
    const calls = await openTenantClient({ name: 'qa' }, { journalLimit: 3 })
    const { submit, leads, get, time } = calls
    for (let nth = 0; nth < 7; nth++) {
      await submit(leads.distributed, `c${nth}@example.com`)
      await time.advance(100)
    }
    const { requests, next } = await get('/requests?limit=500')
    expect([requests.map((each: Shown) => each.request_id), next]).toEqual([['r7', 'r6', 'r5'], undefined])
    expect((await calls.control('GET', '/requests/r4')).status).toBe(404)
  })

  /** A tenant with a storage that the test can make fail. */
  async function openFailing() {
    const storage = createMemoryStorage()
    const errors: unknown[] = []
    let failure: Error | undefined
    const calls = await openTenantClient(
      { name: 'qa' },
      {
        onError: error => errors.push(error),
        storage: {
          ...storage,
          of: name => ({
            ...storage.of(name),
            transact: work =>
              storage.of(name).transact(async tables => {
                const failing = overridden(tables, { appendRequests: () => Promise.reject(failure) })
                return work(failure ? failing : tables)
              }),
          }),
        },
      },
    )
    const { submit, leads, time, get } = calls
    return {
      ...calls,
      errors,
      fail(error: Error | undefined) {
        failure = error
      },
      async submitOne(name: string) {
        expect((await submit(leads.distributed, `${name}@example.com`)).status).toBe('distributed')
        await time.advance(100)
      },
      async counted() {
        const { items } = await get('/coverage')
        return items.find((item: Shown) => item.name === 'distributed').count
      },
    }
  }

  it.each([
    [new StorageUnavailable('disk full'), ['r3', 'r2', 'r1']],
    [new Error('refused'), ['r3']],
  ])(
    'retries entries while the storage is unavailable, drops those that cannot be stored, and counts all: %s',
    async (error, ids) => {
      const { fail, submitOne, counted, errors, get } = await openFailing()
      fail(error)
      await submitOne('a')
      await submitOne('b')
      expect(new Set(errors)).toEqual(new Set([error]))
      fail(undefined)
      await submitOne('c')
      expect((await get('/requests')).requests.map((each: Shown) => each.request_id)).toEqual(ids)
      expect(await counted()).toBe(3)
    },
  )

  it('keeps the first batch and the newest of many entries that cannot be stored', async () => {
    const { fail, call, account, get, time } = await openFailing()
    fail(new StorageUnavailable('disk full'))
    const [batch, most] = [256, 4_096]
    for (let nth = 0; nth < batch + most + 10; nth++)
      await call('POST', '/api/v1/lead', undefined, { apikey: account.publisher.api_key })
    fail(undefined)
    await time.advance(100)
    expect((await get('/requests?limit=1')).requests[0].request_id).toBe(`r${batch + most}`)
  })

  it('counts delivered, failed and retried callbacks', async () => {
    const { report, done, get, time } = await openWithHolder({ callback_retries: ['PT1S'] })
    await done('PATCH', '/inbox', { status: 500, times: 1 })
    await report({ status: 'approved' })
    await time.advance(2_000)
    await done('PATCH', '/inbox', { status: 500 })
    await report({ status: 'completed' })
    await time.advance(2_000)
    const { items } = await get('/coverage')
    const counts = items.filter(({ kind }: Shown) => kind === 'callback').map(({ name, count }: Shown) => [name, count])
    expect(Object.fromEntries(counts)).toEqual({ delivered: 1, failed: 1, retried: 2 })
  })

  it('does not count a callback as retried because it was sent again on request', async () => {
    const { report, done, get, time } = await openWithHolder()
    await report({ status: 'approved' })
    await time.advance(100)
    const [{ callback_id }] = (await get('/callbacks')).callbacks
    await done('POST', `/callbacks/${callback_id}/resend`)
    await time.advance(100)
    expect((await get('/callbacks')).callbacks[0]).toMatchObject({ state: 'delivered', resent_after: 1 })
    const { items } = await get('/coverage')
    expect(items.find(({ name }: Shown) => name === 'delivered')).toMatchObject({ count: 2 })
    expect(items.find(({ name }: Shown) => name === 'retried')).toMatchObject({ count: 0 })
  })
})

describe('a key', () => {
  it('opens only its own endpoint, and only as a header', async () => {
    const { report, account, call, leads, lead_id } = await openWithHolder()
    const body = { status: 'approved' }
    const publisher = account.publisher.api_key
    const [advertiser] = account.advertisers
    for (const refused of [
      await report(body, { apikey: '' }),
      await report(body, { apikey: 'unknown' }),
      await report(body, { apikey: publisher }),
      await report(body, { query: `?apikey=${publisher}` }),
      await call('POST', '/api/v1/lead', leads.distributed(), { apikey: advertiser?.api_key ?? '' }),
      await call('POST', '/api/v1/lead', leads.distributed()),
      await call('GET', `/api/v1/lead/${lead_id}/status?event=approved`),
    ])
      expect([refused.status, (refused.json as Shown).error]).toEqual([401, 'unauthorized'])
    expect((await report(body)).status).toBe(200)
  })

  it('opens only the methods in the settings', async () => {
    const { report } = await openWithHolder({ status_methods: ['POST'] })
    expect((await report({ status: 'approved' }, { method: 'PATCH' })).status).toBe(405)
    expect((await report({ status: 'approved' })).status).toBe(200)
  })
})

describe('the content of a call', () => {
  const shown = async ({ get }: Calls) => get(`/requests/${(await get('/requests?limit=1')).requests[0].request_id}`)

  it('has headers and, if the tenant records them, masked bodies, but not in lists', async () => {
    const calls = await openTenantClient({ name: 'qa' })
    const lead: Shown = calls.leads.incomeInsufficient()
    lead.customer.personal_data.birhtday = '1990-01-01'
    await calls.submit(lead)
    const call = await shown(calls)
    expect(call).toMatchObject({
      request_headers: { apikey: '***' },
      response_headers: { 'content-type': 'application/json; charset=utf-8' },
      request_body: { state: 'whole' },
      response_body: { state: 'whole' },
    })
    const body = JSON.parse(call.request_body.text)
    expect(body.customer.personal_data).toMatchObject({ first_name: '***', birhtday: '***' })
    expect(body.customer.profile).toEqual(lead.customer.profile)
    expect(JSON.parse(call.response_body.text)).toMatchObject({ rejection_reason: 'income_insufficient' })
    const listed = (await calls.get('/requests')).requests[0]
    for (const name of ['request_headers', 'response_headers', 'request_body', 'response_body'])
      expect(listed).not.toHaveProperty(name)
  })

  it('has no body of a lost response, and no part of a body that is not JSON', async () => {
    const calls = await openTenantClient({ name: 'qa' })
    await calls.done('POST', '/faults', { match: { operation: 'submitLead' }, effect: { lost_reply: true }, times: 1 })
    await calls.submit(calls.leads.distributed)
    const lost = await shown(calls)
    expect(lost).toMatchObject({ status: 0, request_body: { state: 'whole' } })
    expect(lost).not.toHaveProperty('response_body')
    expect(lost).not.toHaveProperty('response_headers')
    await calls.call('POST', '/api/v1/lead', undefined, { apikey: calls.account.publisher.api_key })
    expect(await shown(calls)).toMatchObject({ outcome: 'malformed_json', request_body: { state: 'not_json' } })
    // A body with a key of the wrong scope is not even read.
    await calls.call('POST', '/api/v1/lead', calls.leads.distributed(), {
      apikey: calls.account.advertisers[0]?.api_key ?? '',
    })
    expect(await shown(calls)).not.toHaveProperty('request_body')
  })

  it('has bodies for the newest 200 calls, for none once turned off, and for new calls once turned on again', async () => {
    const calls = await openTenantClient({ name: 'qa' })
    const { get, done, submit, leads, time } = calls
    for (let nth = 1; nth <= 203; nth++) {
      await submit(leads.distributed, `c${nth}@example.com`)
      await time.advance(100)
    }
    const hasBody = async (number: number) => 'request_body' in (await get(`/requests/r${number}`))
    expect(await Promise.all([2, 3, 4, 203].map(hasBody))).toEqual([false, false, true, true])
    await done('POST', '/snapshots', { name: 'then' })
    await done('PATCH', '', { settings: { journal_bodies: 'off' } })
    expect(await hasBody(203)).toBe(false)
    await submit(leads.distributed, 'off@example.com')
    await time.advance(100)
    await done('PATCH', '', { settings: { journal_bodies: 'masked' } })
    expect(await hasBody(203)).toBe(false)
    await submit(leads.distributed, 'on@example.com')
    expect(await hasBody(205)).toBe(true)
    await done('POST', '/snapshots/then/restore')
    expect(await hasBody(203)).toBe(true)
    await done('POST', '/reset')
    await submit(leads.distributed, 'reset@example.com')
    expect(await hasBody(1)).toBe(true)
  })

  it('has no bodies by default on a shared sandbox, except for the demo tenant', async () => {
    const adminToken = 'T0ken-of-the-operator'
    const { call } = await openSandbox({ access: { adminToken } })
    const admin = (method: string, path: string, body?: object) =>
      call(method, `/_sandbox/v1/tenants${path}`, body, { authorization: `Bearer ${adminToken}` })
    const settingOf = async (tenant: string) => (await admin('GET', `/${tenant}`)).json.settings.journal_bodies
    await admin('POST', '', { name: 'qa' })
    await admin('POST', '', { name: 'wants', settings: { journal_bodies: 'masked' } })
    expect(await Promise.all(['demo', 'qa', 'wants'].map(settingOf))).toEqual(['masked', 'off', 'masked'])
  })
})
