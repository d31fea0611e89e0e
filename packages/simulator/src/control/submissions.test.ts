import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

/** A tenant that returns rejections rather than errors. */
const withoutErrors = { name: 'qa', seed: 'submissions', settings: { semantic_refusals: 'rejected_200' } }

/** A customer with a lead, and a rejection for each reason that creates none, on one clock. */
async function openWithRejections() {
  const client = await openTenantClient(withoutErrors)
  const { submit, leads, time } = client
  const { lead_id } = await submit(leads.distributed, 'Ana@Example.com')
  for (const [build, email] of [
    [leads.distributed, 'Ana@example.com'],
    [leads.incomeInsufficient, 'poor@example.com'],
    [leads.incomeInsufficient, 'poor@example.com'],
    [leads.unknownProduct, 'nobody@example.com'],
    [leads.consentsMissing, 'nobody@example.com'],
    [leads.validationError, 'nobody@example.com'],
  ] as const) {
    await time.advance(1_000)
    await submit(build, email)
  }
  const list = async (query = '') => (await client.get(`/submissions?${query}`)).submissions
  return { ...client, lead_id, list }
}

const reasonsOf = (submissions: Shown[]) => submissions.map(each => each.rejection_reason ?? each.status)

describe('the list of submissions', () => {
  it('contains the rejections that created no lead among the leads, with their requests', async () => {
    const { list, get, lead_id, leads } = await openWithRejections()
    const all = await list()
    expect(reasonsOf(all)).toEqual([
      'consents_missing',
      'invalid_product',
      'duplicate_submission',
      'income_insufficient',
      'customer_already_exists',
      'distributed',
    ])
    expect(all.map((each: Shown) => [typeof each.lead_id, typeof each.request_id])).toEqual(
      [false, false, false, true, false, true].map(isLead =>
        isLead ? ['string', 'undefined'] : ['undefined', 'string'],
      ),
    )
    const [exists, lead] = all.slice(-2)
    const { product_id, product_data } = leads.distributed()
    expect(exists).toEqual({
      request_id: expect.any(String),
      product_id,
      status: 'rejected',
      rejection_reason: 'customer_already_exists',
      email: 'ana@example.com',
      loan_amount: product_data.loan_amount,
      loan_term_months: product_data.loan_term_months,
      advertisers: [],
      received_at: expect.any(String),
    })
    expect(lead.lead_id).toBe(lead_id)
    expect(await get(`/requests/${exists.request_id}`)).toMatchObject({ reason: 'customer_already_exists' })
  })

  it('can be searched like the list of leads', async () => {
    const { list, control } = await openWithRejections()
    const found = async (query: string) => reasonsOf(await list(query))
    expect(await found('email=ANA@example.com')).toEqual(['customer_already_exists', 'distributed'])
    expect(await found('customer=NOBODY')).toEqual(['consents_missing', 'invalid_product'])
    for (const reason of ['customer_already_exists', 'duplicate_submission', 'invalid_product', 'consents_missing'])
      expect(await found(`reason=${reason}`)).toEqual([reason])
    expect(await found('status=distributed')).toEqual(['distributed'])
    expect(await found('status=rejected')).toHaveLength(5)
    const [, , duplicate] = await list()
    expect(await found(`from=${duplicate.received_at}`)).toHaveLength(3)
    expect(await found(`to=${duplicate.received_at}`)).toHaveLength(3)
    for (const query of ['before=r1.x', 'before=x', 'from=2026-02-30T00:00:00Z'])
      expect((await control('GET', `/submissions?${query}`)).status).toBe(400)
  })

  it('has every entry exactly once on pages of any size, even with rejections between two requests', async () => {
    const { list, get, submit, leads } = await openWithRejections()
    const whole = await list()
    for (const query of ['', 'status=rejected&', 'customer=@&', 'reason=duplicate_submission&'])
      for (const limit of [1, 2, 3, 5]) {
        const expected = await list(query)
        const found: Shown[] = []
        for (let next: string | undefined = ''; next !== undefined; ) {
          const page: Shown = await get(`/submissions?${query}limit=${limit}${next}`)
          found.push(...page.submissions)
          next = page.next && `&before=${page.next}`
        }
        expect(found, `${query} ${limit}`).toEqual(expected)
      }
    const first = await get('/submissions?limit=2')
    await submit(leads.unknownProduct, 'late@example.com')
    const second = await get(`/submissions?limit=99&before=${first.next}`)
    expect([...first.submissions, ...second.submissions]).toEqual(whole)
    expect((await list())[0].email).toBe('late@example.com')
  })

  it('drops rejections together with their requests, and all of them on a reset', async () => {
    const client = await openTenantClient(withoutErrors, { journalLimit: 10 })
    const { submit, leads, get, done } = client
    for (let nth = 0; nth < 15; nth++) await submit(leads.unknownProduct, `c${nth}@example.com`)
    const { submissions } = await get('/submissions')
    expect(submissions.map(({ email }: Shown) => email)).toEqual(
      Array.from({ length: 10 }, (_, nth) => `c${14 - nth}@example.com`),
    )
    await done('POST', '/reset')
    expect((await get('/submissions')).submissions).toEqual([])
  })
})
