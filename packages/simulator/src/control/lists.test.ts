import { beforeAll, describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

/** Enough for more than two batches of every list. */
const [created, reported] = [140, 130]

type Calls = Awaited<ReturnType<typeof openTenantClient>>
let calls: Calls
const ids: string[] = []

beforeAll(async () => {
  calls = await openTenantClient()
  const { leads, submit, time, trigger } = calls
  for (let nth = 0; nth < created; nth++) {
    const { lead_id, status } = await submit(leads.distributed, `c${nth}@example.com`)
    expect(status).toBe('distributed')
    ids.push(lead_id)
    if (nth < reported) await trigger(lead_id, 'approved')
    await time.advance(1_000)
  }
  await submit(leads.new, 'New@Example.com')
  for (const email of ['poor.one@example.com', 'poor.two@example.com']) await submit(leads.incomeInsufficient, email)
  await submit(leads.validationError)
})

/** Reads all pages of a list. */
async function pages(path: string, list: string, limit: number): Promise<Shown[][]> {
  const found: Shown[][] = []
  let before = ''
  for (let page = 0; page < 1_000; page++) {
    const reply = await calls.get(`/${path}${path.includes('?') ? '&' : '?'}limit=${limit}${before}`)
    found.push(reply[list])
    if (reply.next === undefined) return found
    before = `&before=${reply.next}`
  }
  return expect.fail('The list has no end.')
}

const search = async (query: string) => (await calls.get(`/leads?limit=500&${query}`)).leads

describe.each([
  ['leads', 'leads', 'lead_id', created + 3],
  ['leads?from=2026-01-01T00:00:00Z', 'leads', 'lead_id', created + 3],
  ['callbacks', 'callbacks', 'callback_id', reported],
  ['requests', 'requests', 'request_id', created + 4 + reported],
  ['inbox', 'callbacks', 'entry_id', reported],
])('the list %s', (path, list, id, total) => {
  it.each([1, 64, 65, 99])('has every entry exactly once, newest first, on pages of %i', async limit => {
    const all = await pages(path, list, limit)
    const found = all.flat().map(entry => entry[id])
    expect([found.length, new Set(found).size]).toEqual([total, total])
    expect(all.slice(0, -1).every(page => page.length === limit)).toBe(true)
    expect(found).toEqual((await pages(path, list, 500))[0]?.map(entry => entry[id]))
    const numbers = found.map(text => (path === 'leads' || path === 'callbacks' ? text : Number(text.slice(1))))
    const isNewestFirst = numbers.every((each, index) => index === 0 || each < numbers[index - 1])
    if (!path.includes('?')) expect(isNewestFirst).toBe(true)
  })

  it('has one page if the limit equals the number of entries, and two if it is one less', async () => {
    expect((await pages(path, list, total)).map(page => page.length)).toEqual([total])
    expect((await pages(path, list, total - 1)).map(page => page.length)).toEqual([total - 1, 1])
  })

  it('has fifty entries by default', async () => {
    const reply = await calls.get(`/${path}`)
    expect([reply[list].length, typeof reply.next]).toEqual([50, 'string'])
  })

  it.each(['limit=0', 'limit=501', 'limit=x', 'limit=1.5', 'before=x', 'limit=1&limit=2'])(
    'refuses %s',
    async query => {
      const separator = path.includes('?') ? '&' : '?'
      const { status } = await calls.control('GET', `/${path}${separator}${query}`)
      expect(status).toBe(400)
    },
  )
})

describe('the list of leads', () => {
  it.each([
    ['status=distributed', created],
    ['status=new', 1],
    ['status=rejected', 2],
    ['reason=income_insufficient', 2],
    ['reason=income_insufficient&status=new', 0],
    ['email=C7%40EXAMPLE.com', 1],
    ['email=c7%40example.com&status=rejected', 0],
    ['email=c7%40example.co', 0],
    ['customer=POOR.', 2],
    ['customer=poor.&status=rejected', 2],
    ['customer=poor.&status=new', 0],
    ['customer=nobody', 0],
    ['customer=poor.&email=poor.one%40example.com', 1],
  ])('filtered by %s has %i', async (query, count) => expect(await search(query)).toHaveLength(count))

  it.each(['masked', 'off'])(
    "finds leads by the customer's name and external id, with the journal's bodies %s",
    async journal_bodies => {
      const { submit, get, leads } = await openTenantClient({ name: 'qa', settings: { journal_bodies } })
      for (const [address, external_id, last_name] of [
        ['one@example.com', 'CRM-7', 'Núñez'],
        ['two@example.com', 'crm-70', 'Gil'],
        ['two@example.com', 'crm-70', 'Gil'],
      ] as const)
        await submit(
          leads.distributed({
            customer: { external_id, contact: { email: { address } }, personal_data: { last_name } },
          }),
        )
      for (const [query, ...emails] of [
        ['customer=ana+NUNEZ', 'one@example.com'],
        ['customer=crm-7', 'two@example.com', 'one@example.com'],
        ['external_id=crm-7', 'one@example.com'],
        ['external_id=crm-7&status=rejected'],
      ] as const)
        for (const list of ['leads', 'submissions'])
          expect(
            (await get(`/${list}?${query}`))[list].map(({ email }: Shown) => email),
            query,
          ).toEqual(emails)
      // Only leads have a name. That of a rejection without a lead is at most in the journal.
      const [rejected] = (await get('/submissions')).submissions
      expect([rejected.rejection_reason, rejected.customer_name]).toEqual(['customer_already_exists', undefined])
    },
  )

  it('finds leads received since a time and before another', async () => {
    const at = (seconds: number) => new Date(noon + seconds * 1_000).toISOString()
    const emails = async (query: string) => (await search(query)).map(({ email }: Shown) => email)
    expect(await emails(`from=${at(3)}&to=${at(5)}`)).toEqual(['c4@example.com', 'c3@example.com'])
    expect(await emails(`to=${at(1)}`)).toEqual(['c0@example.com'])
    expect(await emails(`from=${at(created - 1)}&status=distributed`)).toEqual([`c${created - 1}@example.com`])
    expect(await calls.refused('GET', '/leads?from=2026-02-30T00:00:00Z')).toEqual(['from'])
    expect(await calls.refused('GET', '/leads?to=tomorrow')).toEqual(['to'])
  })

  it('finds the leads of a product, whose id may be in capitals', async () => {
    const { product_id } = calls.account.products[0] ?? expect.fail('There is no product.')
    expect(await search(`product_id=${product_id.toUpperCase()}`)).not.toHaveLength(0)
    expect(await search('product_id=00000000-0000-4000-8000-000000000000')).toEqual([])
  })

  it('begins before a lead whose id may be in capitals', async () => {
    const { leads } = await calls.get(`/leads?limit=2&before=${ids[5]?.toUpperCase()}`)
    expect(leads.map(({ lead_id }: Shown) => lead_id)).toEqual([ids[4], ids[3]])
  })

  it('has summaries, and submissions on request', async () => {
    const lead = await calls.get(`/leads/${ids[0]}`)
    const { redirect_url: _, submission, trace: __, deliveries, events: ___, callbacks: ____, ...summary } = lead
    const [holder] = deliveries.filter(({ decision }: Shown) => decision === 'accepted')
    expect(summary).toEqual({
      lead_id: ids[0],
      product_id: submission.product_id,
      status: 'distributed',
      email: 'c0@example.com',
      customer_name: 'Ana Prueba',
      external_id: submission.customer.external_id,
      loan_amount: submission.product_data.loan_amount,
      loan_term_months: submission.product_data.loan_term_months,
      advertisers: [{ advertiser_id: holder.advertiser_id, name: holder.name }],
      received_at: new Date(noon).toISOString(),
    })
    for (const how of ['', '&from=2026-01-01T00:00:00Z']) {
      const query = `email=c0%40example.com${how}`
      expect(await search(query)).toEqual([summary])
      expect(await search(`${query}&include=submission`)).toEqual([{ ...summary, submission }])
    }
    expect(await search('status=new')).toMatchObject([{ email: 'new@example.com', advertisers: [] }])
    expect(await calls.refused('GET', '/leads?include=trace')).toEqual(['include'])
  })

  it.each(['email=', 'customer=', 'external_id=', 'unknown=1'])('refuses %s', async query =>
    expect((await calls.control('GET', `/leads?${query}`)).status).toBe(400),
  )
})

describe('the list of callbacks', () => {
  it('can be filtered by lead and state', async () => {
    const list = async (query: string) => (await calls.get(`/callbacks?limit=500&${query}`)).callbacks
    expect(await list(`lead_id=${ids[0]?.toUpperCase()}`)).toMatchObject([{ lead_id: ids[0], state: 'delivered' }])
    expect(await list('state=delivered')).toHaveLength(reported)
    expect(await list('state=failed')).toEqual([])
    expect(await list(`lead_id=${ids[0]}&state=pending`)).toEqual([])
  })
})

describe.each(['callbacks', 'requests'])('the list of %s', list => {
  it("has each customer's e-mail address on request", async () => {
    const ofLead = `/${list}?lead_id=${ids[7]}`
    const emails = async (path: string) => (await calls.get(path))[list].map(({ email }: Shown) => email)
    expect(new Set(await emails(`${ofLead}&include=email`))).toEqual(new Set(['c7@example.com']))
    expect(new Set(await emails(ofLead))).toEqual(new Set([undefined]))
    expect((await calls.control('GET', `/${list}?include=submission`)).status).toBe(400)
  })
})

describe('the list of requests', () => {
  it('has the e-mail address of a customer who was rejected without a lead', async () => {
    const { get, submit, leads } = await openTenantClient()
    await submit(leads.distributed, 'ana@example.com')
    await submit(leads.distributed, 'bob@example.com')
    await submit(leads.distributed, 'ana@example.com')
    const { requests } = await get('/requests?include=email')
    expect(requests.map(({ outcome, lead_id, email }: Shown) => [outcome, lead_id !== undefined, email])).toEqual([
      ['rejected', false, 'ana@example.com'],
      ['distributed', true, 'bob@example.com'],
      ['distributed', true, 'ana@example.com'],
    ])
    expect((await get('/requests?include=email&limit=1')).requests).toMatchObject([{ email: 'ana@example.com' }])
  })

  it.each([
    ['operation=submitLead', created + 4],
    ['operation=reportEvent', reported],
    ['operation=reportStatus', 0],
    ['status=400', 1],
    ['status=4xx', 1],
    ['status=2xx', created + 3 + reported],
    ['status=200&operation=reportEvent', reported],
    ['status=5xx', 0],
    ['status=401', 0],
  ])('filtered by %s has %i', async (query, count) =>
    expect((await calls.get(`/requests?limit=500&${query}`)).requests).toHaveLength(count),
  )

  it('can be filtered by lead, whose id may be in capitals', async () => {
    const { requests } = await calls.get(`/requests?lead_id=${ids[0]?.toUpperCase()}`)
    expect(requests.map(({ operation, lead_id }: Shown) => [operation, lead_id])).toEqual([
      ['reportEvent', ids[0]],
      ['submitLead', ids[0]],
    ])
  })

  it.each(['status=xx', 'status=44xx', 'status=4x', 'operation=other', 'lead_id=x', 'before=42', 'before=r'])(
    'refuses %s',
    async query => expect((await calls.control('GET', `/requests?${query}`)).status).toBe(400),
  )
})

describe('one entry', () => {
  it('looks the same by its id as in its list', async () => {
    const { leads } = await calls.get('/leads?limit=1')
    expect(await calls.get(`/leads/${leads[0].lead_id.toUpperCase()}`)).toMatchObject(leads[0])
    const { callbacks } = await calls.get('/callbacks?limit=1')
    expect(await calls.get(`/callbacks/${callbacks[0].callback_id.toUpperCase()}`)).toMatchObject(callbacks[0])
    const { requests } = await calls.get('/requests?limit=1')
    expect(await calls.get(`/requests/${requests[0].request_id}`)).toMatchObject(requests[0])
  })

  it.each([
    ['leads', '00000000-0000-4000-8000-000000000000'],
    ['callbacks', '00000000-0000-4000-8000-000000000000'],
    ['requests', 'r999999'],
    ['requests', 'r0'],
    ['requests', 'x1'],
    ['requests', 'r1x'],
  ])('of %s is not found as %s', async (list, id) => {
    const { status, json } = await calls.control('GET', `/${list}/${id}`)
    expect([status, (json as Shown).error]).toEqual([404, 'not_found'])
  })

  it('of a rejected lead has a value that passes now, also after a change of the criteria or of the time', async () => {
    const { done, get, leads, submit, time, account } = await openTenantClient()
    const [{ product_id } = expect.fail('There is no product.')] = account.products
    const shown = async (lead_id: string) => (await get(`/leads/${lead_id}`)).passes_with
    const poor = leads.incomeInsufficient()
    const { lead_id } = await submit(poor)
    const field = 'customer.profile.monthly_income'
    expect(await shown(lead_id)).toEqual({ field, value: 600 })
    await done('PATCH', '', { products: [{ product_id, criteria: { minimum_monthly_income: 900 } }] })
    expect(await shown(lead_id)).toEqual({ field, value: 900 })
    const other = leads.incomeInsufficient()
    expect((await done('POST', '/leads/explain', other)).passes_with).toEqual({ field, value: 900 })
    await done('PATCH', '', { products: [{ product_id, criteria: { minimum_monthly_income: 0 } }] })
    expect(await shown(lead_id)).toBeUndefined()
    expect((await done('POST', '/leads/explain', other)).passes_with).toBeUndefined()

    const young = await submit(leads.ageRestricted)
    expect(await shown(young.lead_id)).toEqual({
      field: 'customer.personal_data.birthday',
      value: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    // A customer who was a year too young.
    await time.advance(400 * 86_400_000)
    expect(await shown(young.lead_id)).toBeUndefined()
  })

  it("of the leads has deliveries, events and callbacks, with the advertiser's postback URL", async () => {
    const lead = await calls.get(`/leads/${ids[0]}`)
    expect(lead).toMatchObject({
      status: 'distributed',
      received_at: new Date(noon).toISOString(),
      redirect_url: expect.stringContaining(`${ids[0]}`),
      events: [{ event: 'approved', via: 'pixel', recorded_at: new Date(noon).toISOString() }],
      callbacks: [{ event: 'loan_issued', state: 'delivered', attempts: [{ status: 200 }] }],
    })
    const accepted = lead.deliveries.filter(({ decision }: Shown) => decision === 'accepted')
    expect(accepted).toHaveLength(1)
    const { pathname, search } = new URL(accepted[0].postback_url)
    const fired = await calls.call('GET', `${pathname}${search}&event=approved`)
    expect([fired.status, fired.json]).toEqual([200, { lead_id: ids[0], event: 'approved', status: 'ignored' }])
    const others = lead.deliveries.filter(({ decision }: Shown) => decision !== 'accepted')
    for (const other of others) expect(other).not.toHaveProperty('postback_url')
  })
})
