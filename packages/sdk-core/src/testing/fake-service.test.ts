import { rejectionReasons } from '@lead-distribution/contract'
import { errorResponse, eventReply, leadResponse, statusReply } from '@lead-distribution/contract/shapes'
import { createTestLeads, requestsOf, testLeadCatalogue } from '@lead-distribution/test-leads'
import { describe, expect, it } from 'vitest'
import { fakeAccount } from './fake-account.ts'
import { bareClient, lead_id } from './fake-service.fixture.ts'
import { createFakeService, type FakeReply, type FakeWord, fakeWords } from './index.ts'

const jsonOf = async (reply: Promise<Response>) => (await reply).json()

describe('a submission', () => {
  it('is distributed by default, each time as another lead', async () => {
    const { submit } = bareClient()
    const [first, second] = [leadResponse.parse(await jsonOf(submit())), leadResponse.parse(await jsonOf(submit()))]
    expect([first.status, second.status]).toEqual(['distributed', 'distributed'])
    expect(first.redirect_url).toMatch(/^https:/)
    expect(first.lead_id).not.toBe(second.lead_id)
  })

  it.each(rejectionReasons)('is rejected as %s, in the shape of the service', async reason => {
    const { fake, submit } = bareClient()
    fake.next(reason)
    const reply = await submit()
    expect(reply.status).toBe(200)
    expect(leadResponse.parse(await reply.json())).toMatchObject({ status: 'rejected', rejection_reason: reason })
  })

  it('stays new, without an address to redirect to', async () => {
    const { fake, submit } = bareClient()
    fake.next('new')
    expect(leadResponse.parse(await jsonOf(submit()))).toEqual({ status: 'new', lead_id: expect.any(String) })
  })

  it.each<[FakeWord, object]>([
    ['unknown_status', { lead_id: expect.any(String), status: expect.stringMatching(/^(?!new|distributed|rejected)/) }],
    ['unknown_reason', { status: 'rejected', rejection_reason: expect.any(String) }],
  ])('by %s gets what no version knows', async (name, expected) => {
    const { fake, submit } = bareClient()
    fake.next(name)
    const body = await jsonOf(submit())
    expect(body).toMatchObject(expected)
    expect(leadResponse.safeParse(body).success).toBe(false)
  })

  it('follows the scenario of its e-mail address, a chain one step per submission', async () => {
    const { leads, submit } = bareClient()
    expect(await jsonOf(submit(leads.scenario('blacklisted')))).toMatchObject({ rejection_reason: 'blacklisted' })
    const [chain, other] = [leads.scenario('http_500.http_503.http_422'), leads.scenario('http_500.http_503.http_422')]
    const statuses = []
    for (const lead of [chain, chain, other, chain, chain]) statuses.push((await submit(lead)).status)
    expect(statuses).toEqual([500, 503, 500, 422, 422])
  })

  it('of an address that names no scenario is an ordinary one', async () => {
    const { leads, submit } = bareClient()
    for (const address of ['nonsense+x@sandbox.test', 'new@sandbox.test', 'new+x@sandbox.example'])
      expect(await jsonOf(submit(leads.distributed({ customer: { contact: { email: { address } } } })))).toMatchObject({
        status: 'distributed',
      })
  })
})

describe('a report', () => {
  it('by body is answered with its status, a repeat too', async () => {
    const { report } = bareClient()
    for (const method of ['POST', 'PATCH', 'POST'])
      expect(statusReply.parse(await jsonOf(report({ status: 'loan_issued' }, { method })))).toEqual({
        lead_id,
        status: 'loan_issued',
      })
  })

  it('by pixel is received, and its repeat ignored, whatever the event is called', async () => {
    const { pixel, report } = bareClient()
    const outcome = async (event: string) => eventReply.parse(await jsonOf(pixel(event)))
    expect(await outcome('loan_issued')).toEqual({ lead_id, event: 'approved', status: 'received' })
    expect(await outcome('approved')).toMatchObject({ event: 'approved', status: 'ignored' })
    await report({ status: 'loan_paid' })
    expect(await outcome('completed')).toMatchObject({ status: 'ignored' })
  })

  it('by POST is refused as often as http_405 says; PATCH is there', async () => {
    const { fake, report } = bareClient()
    fake.next('http_405')
    const reply = await report()
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, PATCH'])
    expect((await report(undefined, { method: 'PATCH' })).status).toBe(200)
  })
})

describe('what is set', () => {
  it.each(fakeWords.filter(name => name.startsWith('http_')))('by %s answers that error, to every call', async name => {
    const { fake, submit, report, pixel } = bareClient()
    for (const call of [submit, report, pixel]) {
      fake.next(name)
      const reply = await call()
      expect(reply.status).toBe(Number(name.slice(5)))
      expect(errorResponse.parse(await reply.json()).details).toEqual(
        name === 'http_400' ? [expect.any(Object)] : undefined,
      )
    }
  })

  it('by rate_limited says when to come again', async () => {
    const { fake, submit } = bareClient()
    fake.next('rate_limited')
    const reply = await submit()
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '1'])
  })

  it('is used in its order, one reply a call, and then no more', async () => {
    const { fake, submit } = bareClient()
    const made = async () => Response.json({ made: true }, { status: 202 })
    fake.next('http_500', Response.json({}, { status: 418 }), made)
    expect(fake.pending).toHaveLength(3)
    const replies = await Promise.all([submit(), submit(), submit(), submit()])
    expect(replies.map(({ status }) => status)).toEqual([500, 418, 202, 200])
    expect(fake.pending).toEqual([])
  })

  it('is used in the order of the calls, however long their bodies take', async () => {
    const { fake, submit } = bareClient()
    const slow = new TransformStream<Uint8Array, Uint8Array>()
    fake.next('http_500', 'http_503')
    const first = submit(undefined, { body: slow.readable, duplex: 'half' } as RequestInit)
    expect((await submit()).status).toBe(503)
    await slow.writable.close()
    expect((await first).status).toBe(500)
  })

  it('about a lead waits for a submission', async () => {
    const { fake, submit, pixel } = bareClient()
    fake.next('new', 'http_503')
    expect((await pixel()).status).toBe(503)
    expect((await pixel()).status).toBe(200)
    expect(await jsonOf(submit())).toMatchObject({ status: 'new' })
  })

  it('for always comes after what is set for once, until it is reset', async () => {
    const { fake, leads, submit, pixel } = bareClient()
    const statuses = async (...calls: (() => Promise<Response>)[]) => {
      const all = []
      for (const call of calls) all.push((await call()).status)
      return all
    }
    fake.always(Response.json({}, { status: 502 }))
    fake.next('new')
    expect(await statuses(submit, submit, pixel, () => submit(leads.scenario('new')))).toEqual([200, 502, 502, 502])
    fake.always('age_restriction')
    expect(await statuses(submit, pixel)).toEqual([200, 200])
    fake.next('http_500')
    fake.reset()
    expect(await jsonOf(submit())).toMatchObject({ status: 'distributed' })
    expect(await jsonOf(pixel())).toMatchObject({ status: 'received' })
    expect(fake.requests).toHaveLength(2)
  })

  it.each<FakeReply>(['new', 'http_500', Response.json({}), () => Response.json({})])(
    'is not used for a call that is refused (%s)',
    async reply => {
      const { fake, submit } = bareClient()
      fake.next(reply)
      expect((await submit({}, { headers: {} })).status).toBe(401)
      expect(fake.pending).toEqual([reply])
    },
  )
})

it('is at the address of its options, and nowhere else', async () => {
  const root = createFakeService({ baseUrl: 'https://leads.example.com/' })
  expect(root.baseUrl).toBe('https://leads.example.com')
  expect((await root.fetch('https://leads.example.com/lead', { method: 'POST' })).status).toBe(401)
  expect(() => createFakeService({ baseUrl: 'leads.example.com' })).toThrow('baseUrl')
  const elsewhere = root.fetch('https://other.example.com/lead', { method: 'POST' })
  await expect(elsewhere).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ENOTFOUND' } })
  expect(root.requests).toHaveLength(1)
})

it.each(testLeadCatalogue)('has what the test lead $name is made from', ({ name }) => {
  expect(requestsOf(createTestLeads(fakeAccount)[name]()).length).toBeGreaterThan(0)
})
