import type { FieldIssue } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { noon, submission } from './facts.fixture.ts'
import type { TraceStep } from './lead-record.ts'
import { holder, lead_id, other, service } from './service.fixture.ts'

describe('submitting a lead', () => {
  it('creates a lead in one transaction', async () => {
    const { submit, leads, counts } = service()
    expect(await submit()).toMatchObject({ status: 'distributed', lead_id, redirect_url: 'https://advertiser.test/' })
    expect([leads.size, counts().transactions]).toEqual([1, 1])
  })

  it("refuses an invalid lead, or another publisher's, without a transaction", async () => {
    const { submit, counts } = service()
    expect(await submit({})).toMatchObject({ status: 'refused', error: 'validation_error', issues: expect.any(Array) })
    const foreign = { ...submission(), publisher_id: lead_id }
    expect(await submit(foreign)).toMatchObject({ status: 'refused', error: 'publisher_mismatch' })
    expect(counts().transactions).toBe(0)
  })

  it("rejects a customer's second lead without creating one", async () => {
    const { submit } = service()
    await submit()
    const second = await submit()
    expect(second).toMatchObject({ status: 'rejected', reason: 'customer_already_exists' })
    expect(second).not.toHaveProperty('lead_id')
  })

  it('names the invalid fields, also in the trace, and applies no rule', async () => {
    const { submit } = service()
    const { issues, trace } = (await submit({ ...submission(), product_id: 'x', product_data: 1 })) as {
      issues: FieldIssue[]
      trace: TraceStep[]
    }
    expect(trace[0]).toEqual({
      check: 'shape',
      verdict: 'rejected',
      input: ['product_id', 'product_data'],
      hint: issues.map(({ field, issue }) => `${field} ${issue}`).join('; '),
    })
    expect(trace[0]?.hint).toMatch(/^product_id must .*; product_data must /)
    expect(trace[1]).toEqual({ check: 'publisher', verdict: 'skipped' })
    expect(trace.slice(2).every(({ verdict }) => verdict === 'skipped')).toBe(true)
    expect(trace.slice(-2).map(({ check }) => check)).toEqual(['distribution', 'claim'])
  })

  it('stores the decision, with the address in lower case', async () => {
    const { submit, leads, customers } = service()
    const body = submission()
    body.customer.contact.email.address = 'Ana@Example.com'
    body.publisher_id = body.publisher_id.toUpperCase()
    body.product_id = body.product_id.toUpperCase()
    const { trace } = await submit(body)
    const { product_id } = submission()
    expect([...customers]).toEqual([[`${product_id} ana@example.com`, { lead_id }]])
    expect(leads.get(lead_id)).toEqual({
      lead_id,
      product_id,
      email: 'ana@example.com',
      status: 'distributed',
      received_at: noon,
      submission: expect.objectContaining({ product_data: body.product_data }),
      trace,
      deliveries: [expect.objectContaining({ decision: 'accepted' })],
    })
    expect(trace.at(-1)).toEqual({ check: 'claim', verdict: 'passed' })
    expect(trace[0]).toEqual({ check: 'shape', verdict: 'passed' })
  })

  it('stores a lead that a rule rejects, and starts the duplicate window', async () => {
    const { submit, leads, customers } = service()
    const poor = submission()
    poor.customer.profile = { occupation: 'other', monthly_income: 0 }
    expect(await submit(poor)).toMatchObject({ status: 'rejected', reason: 'income_insufficient', deliveries: [] })
    expect([...customers.values()]).toEqual([{ refused_at: noon }])
    expect(leads.get(lead_id)).toMatchObject({ status: 'rejected', rejection_reason: 'income_insufficient' })
    expect(await submit()).toMatchObject({ status: 'rejected', reason: 'duplicate_submission', deliveries: [] })
    expect(leads.get(lead_id)?.rejection_reason).toBe('income_insufficient')
  })

  it('rejects a lead that loses the claim to a concurrent one, and stores nothing', async () => {
    const { submit, leads, customers } = service()
    const taken = { lead_id: other.advertiser_id }
    // The other lead is stored during this one's decision.
    const result = await submit(submission(), async lead => {
      customers.set(`${lead.product_id} ana@example.com`, taken)
      return undefined
    })
    expect(result).toMatchObject({ status: 'rejected', reason: 'customer_already_exists', deliveries: [] })
    expect(result).not.toHaveProperty('lead_id')
    expect(result).toMatchObject({ kind: 'without_lead' })
    expect('trace' in result && result.trace.at(-1)).toEqual({ check: 'claim', verdict: 'rejected' })
    expect([leads.size, [...customers.values()]]).toEqual([0, [taken]])
  })

  it('follows a forced outcome, and starts no duplicate window for a forced rejection', async () => {
    const { submit, leads, customers } = service()
    const force = (outcome: 'new' | 'fraud_suspected') => async () => ({ check: 'scenario', name: 'forced', outcome })
    const rejected = await submit(submission(), force('fraud_suspected'))
    expect(rejected).toMatchObject({ status: 'rejected', reason: 'fraud_suspected', forced_by: 'forced', lead_id })
    expect([leads.get(lead_id)?.status, customers.size]).toEqual(['rejected', 0])
    const created = await submit(submission(), force('new'))
    expect(created).toMatchObject({ status: 'new', forced_by: 'forced', deliveries: [] })
    expect('trace' in created && created.trace.slice(-2)).toEqual([
      { check: 'distribution', verdict: 'skipped' },
      { check: 'claim', verdict: 'passed' },
    ])
  })

  it('explains a lead without storing anything', async () => {
    const { explain, submit, leads } = service()
    expect(await explain()).toMatchObject({
      status: 'distributed',
      lead_id: '00000000-0000-0000-0000-000000000000',
    })
    expect(leads.size).toBe(0)
    expect(await submit()).toMatchObject({ status: 'distributed' })
  })
})

describe('reporting by body', () => {
  it('records an event once, under either of its names', async () => {
    const { submit, report, counts } = service()
    await submit()
    expect(await report({ status: 'approved' })).toMatchObject({ status: 'received', event: 'approved' })
    expect(counts().due).toBe(1)
    expect(await report({ status: 'loan_issued' })).toMatchObject({
      status: 'ignored',
      event: 'approved',
      reported_as: 'loan_issued',
    })
    expect(counts().due).toBe(1)
  })

  it('records the event, its advertiser and its time, and a callback that is due immediately', async () => {
    const { submit, report, events, callbacks } = service()
    await submit()
    const body = { status: 'loan_issued', advertiser_id: holder.advertiser_id.toUpperCase(), metadata: { amount: 900 } }
    expect(await report(body)).toMatchObject({ status: 'received', lead_id })
    const { advertiser_id } = holder
    expect(events).toEqual([
      {
        lead_id,
        advertiser_id,
        event: 'approved',
        reported_as: 'loan_issued',
        via: 'body',
        metadata: { amount: 900 },
        recorded_at: noon,
      },
    ])
    expect(callbacks).toEqual([
      {
        callback_id: 'c1',
        lead_id,
        event: 'loan_issued',
        state: 'pending',
        attempts: [],
        due_at: noon,
        url: `http://127.0.0.1:3000/callbacks?source=loans&lead_id=${lead_id}&event=loan_issued`,
      },
    ])
  })

  it("refuses an advertiser other than the key's, and names the field", async () => {
    const { submit, report, events } = service()
    await submit()
    expect(await report({ status: 'approved', advertiser_id: other.advertiser_id })).toMatchObject({
      status: 'refused',
      error: 'validation_error',
      issues: [{ field: 'advertiser_id', issue: 'must be the advertiser that the API key was issued to' }],
    })
    expect(await report({ status: 'approved' }, 'no-uuid')).toMatchObject({
      issues: [{ field: 'lead_id', issue: 'must be a UUID, the lead_id from the response to the submission' }],
    })
    expect(events).toEqual([])
  })

  it('refuses the advertiser of another lead like an unknown lead', async () => {
    const { submit, report } = service()
    await submit()
    for (const result of [
      await report({ status: 'approved' }, lead_id, other),
      await report({ status: 'approved' }, other.advertiser_id),
    ])
      expect(result).toMatchObject({ status: 'refused', error: 'not_found' })
  })

  it('reports every invalid field at once', async () => {
    const { report } = service()
    const { issues = [] } = (await report({ status: 'funded', metadata: { amount: 'x' } }, 'no-uuid')) as {
      issues?: { field: string }[]
    }
    expect(issues.map(({ field }) => field)).toEqual(['lead_id', 'status', 'metadata.amount'])
  })

  it.each([
    ['known', 'funded', 'accept'],
    ['any', 'funded', 'validation_error'],
  ] as const)('warns under the vocabulary %s of the status %s: %s', async (status_vocabulary, status, would) => {
    const { submit, report } = service({ status_vocabulary })
    await submit()
    expect((await report({ status })).warnings).toMatchObject([{ switch: 'status_vocabulary', would }])
    expect((await report({ status: 'approved' })).warnings).toEqual([])
    expect((await report({ status, metadata: 1 })).warnings).toEqual([])
  })
})

describe('reporting by pixel', () => {
  it('records an event in one transaction', async () => {
    const { submit, pixel, events, counts } = service()
    await submit()
    const before = counts().transactions
    expect(await pixel({ event: ['loan_issued'], ref: ['r1'] })).toEqual({
      status: 'received',
      lead_id,
      event: 'approved',
    })
    expect(await pixel({ event: ['approved'] })).toEqual({ status: 'ignored', lead_id, event: 'approved' })
    expect([events, counts()]).toMatchObject([[{ via: 'pixel', ref: 'r1' }], { transactions: before + 2, due: 1 }])
  })

  it('refuses a wrong token before anything else, without a transaction', async () => {
    const { submit, pixel, counts } = service()
    await submit()
    const before = counts().transactions
    for (const token of [[], ['x'], ['']])
      expect(await pixel({ token, event: ['nonsense'] })).toEqual({ status: 'refused', error: 'unauthorized' })
    expect(counts().transactions).toBe(before)
  })

  it('gives the same error for the token of an advertiser without the lead and for an unknown lead', async () => {
    const { submit, pixel } = service()
    expect(await pixel({ event: ['approved'] })).toEqual({ status: 'refused', error: 'unauthorized' })
    await submit()
    expect(await pixel({ event: ['nonsense'] }, other)).toEqual({ status: 'refused', error: 'unauthorized' })
  })

  it('refuses a single repeated parameter, and records nothing', async () => {
    const { submit, pixel, events, counts } = service()
    await submit()
    expect(await pixel({ event: ['approved'], ref: ['1', '1'] })).toEqual({
      status: 'refused',
      error: 'validation_error',
      lead_id,
      issues: [{ field: 'ref', issue: 'must be given only once' }],
    })
    expect([events, counts().due]).toEqual([[], 0])
  })

  it('checks for invalid and repeated parameters after the token', async () => {
    const { submit, pixel } = service()
    await submit()
    expect(await pixel({ event: ['converted'], ref: ['1', '2'] })).toMatchObject({
      status: 'refused',
      error: 'validation_error',
      lead_id,
      issues: [{ field: 'ref', issue: 'must be given only once' }, { field: 'event' }],
    })
  })
})
