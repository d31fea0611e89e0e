import { ControlError, type TenantControl } from '@lead-distribution/control-client'
import { describe, expect, it } from 'vitest'
import { createLeadSandbox } from './index.ts'
import { type ExplainingSandbox, explainFailuresBy, finishFailures, leadMatchers } from './matchers.ts'
import { publisherOf } from './sandbox-server.fixture.ts'
import { useLeadSandbox } from './vitest.ts'

const sandbox = useLeadSandbox({ frozenAt: '2026-01-31T09:30:00Z' })
const submit = (lead: object) => publisherOf(sandbox).submit(lead as never)

/** Returns the message of a failing matcher. */
async function failureOf(matching: Promise<void>): Promise<string> {
  const error = await matching.then(
    () => undefined,
    (error: Error) => error,
  )
  return error?.message ?? expect.fail('The matcher passed.')
}

describe('the outcome of a lead', () => {
  it('matches the result of the SDK', async () => {
    await expect(await submit(sandbox.testLeads.distributed())).toBeDistributed()
    await expect(await submit(sandbox.testLeads.new())).toBeNew()
    const rejected = await submit(sandbox.testLeads.incomeInsufficient() as object)
    await expect(rejected).toBeRejected()
    await expect(rejected).toBeRejected('income_insufficient')
    await expect(rejected).not.toBeRejected('age_restriction')
    await expect(rejected).not.toBeNew()
    await expect(await submit(sandbox.testLeads.consentsMissing() as object)).toBeRejected('consents_missing')
  })

  it('matches the body of a response', async () => {
    await expect({ status: 'new', lead_id: 'an id' }).toBeNew()
    await expect({ status: 'rejected', rejection_reason: 'blacklisted', lead_id: null }).toBeRejected('blacklisted')
    await expect({ error: 'invalid_product', message: 'unknown' }).toBeRejected('invalid_product')
  })

  it('is explained with every check of the decision on a mismatch', async () => {
    const result = await submit(sandbox.testLeads.incomeInsufficient() as object)
    const message = await failureOf(expect(result).toBeDistributed())
    expect(message).toMatch(/^expect\(result\)\.toBeDistributed\(\)\n/)
    expect(message).toContain('The lead should be distributed, but it is rejected: income_insufficient.')
    expect(message).toMatch(/check +verdict +given +wanted\n/)
    expect(message).toMatch(/income +rejected +599 +600\n/)
    expect(message).toContain('income: Send a monthly_income of at least 600.')
    expect(message).toMatch(/\nNot reached: geography, (\w+, )*distribution, claim\n/)
    expect(message).toMatch(/docs\/errors\/rejections\/income_insufficient\.md$/)
  })

  it("is explained with each advertiser's reasons if no advertiser accepted the lead", async () => {
    const message = await failureOf(expect(await submit(sandbox.testLeads.new())).toBeDistributed())
    expect(message).toContain('The lead should be distributed, but it is new.')
    expect(message).toMatch(/distribution +passed +.*declined: lends amounts/)
  })

  it('is explained for a rejection that stored no lead', async () => {
    const [first, second] = sandbox.testLeads.customerAlreadyExists()
    await submit(first)
    const result = await submit(second)
    const message = await failureOf(expect(result).toBeRejected('duplicate_submission'))
    expect(message).toContain("expect(result).toBeRejected('duplicate_submission')")
    expect(message).toMatch(/customer +rejected/)
    expect(message).toContain('Submit another e-mail address')
  })

  it('is explained on a mismatch with `.not`', async () => {
    const message = await failureOf(expect(await submit(sandbox.testLeads.distributed())).not.toBeDistributed())
    expect(message).toContain('expect(result).not.toBeDistributed()')
    expect(message).toMatch(/claim +passed/)
  })

  it('is reported without checks if no sandbox has them or responds', async () => {
    const unknown = { status: 'new', lead_id: '00000000-0000-4000-8000-000000000000' }
    expect(await failureOf(expect(unknown).toBeDistributed())).toContain('No sandbox known to the matchers')
    const gone = async () =>
      Promise.reject(new ControlError('showLead', 503, { error: 'x', message: 'It is closing.' }))
    const forget = explainFailuresBy({ leads: { show: gone } } as unknown as ExplainingSandbox)
    expect(await failureOf(expect(unknown).toBeDistributed())).toContain('Asking the sandbox for the reasons failed')
    forget()
  })

  it('is not read from an invalid value', async () => {
    const submission = submit(sandbox.testLeads.new())
    await expect(failureOf(expect(submission).toBeNew())).resolves.toContain('Await it first.')
    await submission
    await expect(failureOf(expect(undefined).not.toBeNew())).resolves.toContain('Pass the result of')
    const misspelt = expect({ status: 'new' }).not.toBeRejected('income_insuficient' as never)
    await expect(failureOf(misspelt)).resolves.toContain('`income_insuficient` is not a rejection reason')
  })
})

describe('a callback', () => {
  async function reported(event = 'approved') {
    const { lead_id } = await submit(sandbox.testLeads.distributed())
    await sandbox.leads.trigger(`${lead_id}`, { event })
    return lead_id
  }

  it('matches by any name of its event once it is delivered', async () => {
    const lead_id = await reported()
    await expect(sandbox).toHaveDelivered({ event: 'approved', leadId: lead_id })
    await expect(sandbox).toHaveDelivered({ event: 'loan_issued', leadId: lead_id })
    await expect(sandbox).not.toHaveDelivered({ event: 'completed', leadId: lead_id })
    expect(await failureOf(expect(sandbox).not.toHaveDelivered({ event: 'approved', leadId: lead_id }))).toContain(
      'was delivered',
    )
  })

  it('is reported with each attempt if delivery failed', async () => {
    await sandbox.inbox.change({ status: 503 })
    const lead_id = await reported()
    await sandbox.clock.advance({ by: 'PT5S' })
    const message = await failureOf(
      expect(sandbox).toHaveDelivered({ event: 'approved', leadId: lead_id, timeoutMs: 0 }),
    )
    expect(message).toContain('No callback for approved was delivered within 0 ms.')
    expect(message).toContain('loan_issued to sandbox.leads.test: pending')
    expect(message.match(/2026-01-31T09:30:0\d\.000Z +503 +\d+ ms/g)).toHaveLength(2)
    expect(message).toContain('next attempt at 2026-01-31T09:30:35.000Z')
    expect(message).toContain('Events reported by an advertiser: approved.')
  })

  it('is reported with the events that happened if there is none', async () => {
    const { lead_id } = await submit(sandbox.testLeads.distributed())
    const never = { event: 'approved', leadId: lead_id, timeoutMs: 0 }
    expect(await failureOf(expect(sandbox).toHaveDelivered(never))).toContain(
      'no callbacks. Events reported by an advertiser: none',
    )
    await expect(failureOf(expect(sandbox).toHaveDelivered({ event: 'approved', leadId: null }))).resolves.toContain(
      '`leadId` is missing',
    )
    await expect(failureOf(expect({}).toHaveDelivered(never))).resolves.toContain('Pass a tenant of the sandbox')
  })
})

describe('several sandboxes', () => {
  it('are told apart by the lead, and not guessed without one', async () => {
    const other = await createLeadSandbox({ seed: 'other' })
    const forget = explainFailuresBy(other)
    const rejection = { status: 'rejected', rejection_reason: 'customer_already_exists' }
    for (const tenant of [sandbox, other] as TenantControl[]) {
      const { account, testLeads } = tenant as typeof other
      for (const lead of [testLeads.customerAlreadyExists()].flat())
        await other.fetch(`${account.base_url}/lead`, {
          method: 'POST',
          headers: { apikey: account.publisher.api_key, 'content-type': 'application/json' },
          body: JSON.stringify(lead),
        })
    }
    const result = await submit(sandbox.testLeads.ageRestricted() as object)
    expect(await failureOf(expect(result).toBeNew())).toMatch(/age +rejected/)
    expect(await failureOf(expect(rejection).toBeNew())).toMatch(/customer +rejected/)
    forget()
    await other.close()
  })
})

it('is awaited at the end of the test if the test does not', async () => {
  const result = await submit(sandbox.testLeads.new())
  const forgotten = leadMatchers.toBeDistributed.call({ isNot: false }, result)
  await expect(finishFailures()).rejects.toThrow('The lead should be distributed, but it is new.')
  await forgotten
  const { lead_id } = await submit(sandbox.testLeads.distributed())
  const never = { event: 'approved', leadId: lead_id, timeoutMs: 10 }
  const late = leadMatchers.toHaveDelivered.call({ isNot: false }, sandbox, never)
  await expect(finishFailures()).rejects.toThrow('No callback for approved was delivered within 10 ms.')
  await late
  await expect(finishFailures()).resolves.toBeUndefined()
})
