import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createPublisher, type LeadSubmission } from '@lead-distribution/publisher-sdk'
import { expect, vi } from 'vitest'
import { refusedBaseUrl } from '../sdks/wire-server.fixture.ts'
import type { Names } from './publisher-sdk.fixture.ts'
import type { BlockAtHand } from './run-blocks.fixture.ts'

type Block = BlockAtHand<Names>

/** A request of the recipe. */
interface Sent {
  readonly email: string
  readonly at: number
  status?: number
  endedAt?: number
}

/** Records every request from now on. */
function recordRequests(): Sent[] {
  const { fetch } = globalThis
  const requests: Sent[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const request: Sent = { email: JSON.parse(`${init.body}`).customer.contact.email.address, at: Date.now() }
    requests.push(request)
    const response = await fetch(url, init)
    Object.assign(request, { status: response.status, endedAt: Date.now() })
    return response
  })
  return requests
}

const addressesOf = (leads: readonly LeadSubmission[]) => leads.map(lead => lead.customer.contact.email.address).sort()
const distributed = ({ tenant }: Block, count: number) =>
  Array.from({ length: count }, createTestLeads(tenant.account).distributed)

/** Creates the recipe's function, and saves its results in a new list. */
async function prepare({ run, names }: Block) {
  const saved: { address: string; outcome: string; possiblyOwnLead?: boolean }[] = []
  names.database.saveResult = async ({ customer }, result) => {
    saved.push({ address: customer.contact.email.address, ...result })
  }
  const { submitAll } = await run()
  return { submitAll, saved, savedAddresses: () => saved.map(({ address }) => address).sort() }
}

/** Expects that a run submits each lead once, saves each result, and skips an invalid lead. */
export async function submitsEachOnce(block: Block): Promise<void> {
  const { submitAll, saved, savedAddresses } = await prepare(block)
  const requests = recordRequests()
  const testLeads = createTestLeads(block.tenant.account)
  const leads = [...distributed(block, 9), testLeads.ageRestricted()]
  expect(await submitAll([testLeads.validationError(), ...leads])).toBeUndefined()
  expect(savedAddresses()).toEqual(addressesOf(leads))
  expect(requests.map(({ email }) => email).sort()).toEqual(addressesOf(leads))
  expect(saved.filter(({ outcome }) => outcome === 'rejected')).toHaveLength(1)
  expect(block.names.logger.warn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'validation' }))
}

/** Expects that a run stops when replies are lost, and that those leads can be resubmitted. */
export async function stopsAfterLostReplies(block: Block): Promise<void> {
  const { submitAll, saved, savedAddresses } = await prepare(block)
  const requests = recordRequests()
  const { faults } = block.tenant.client
  await faults.add({ match: { operation: 'submitLead' }, effect: { lost_reply: true } })
  const leads = distributed(block, 30)
  expect(await submitAll(leads)).toMatchObject({ code: 'outcome_unknown', callId: expect.any(String) })
  // Three in a row, and those in flight at that time.
  expect(saved.length).toBeGreaterThanOrEqual(3)
  expect(saved.length).toBeLessThanOrEqual(6)
  expect(new Set(saved.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']))
  expect(requests.map(({ email }) => email).sort()).toEqual(savedAddresses())
  expect(new Set(savedAddresses()).size).toBe(saved.length)

  await faults.clear()
  const unknown = leads.filter(lead => savedAddresses().includes(lead.customer.contact.email.address))
  saved.length = 0
  expect(await submitAll(unknown, true)).toBeUndefined()
  expect(saved.map(({ outcome, possiblyOwnLead }) => [outcome, possiblyOwnLead])).toEqual(
    unknown.map(() => ['rejected', true]),
  )
}

/** Expects that a `429` pauses all leads for `Retry-After`, and that no lead is lost or submitted twice. */
export async function pausesForRetryAfter(block: Block): Promise<void> {
  const { submitAll, saved, savedAddresses } = await prepare(block)
  const requests = recordRequests()
  const effect = { status: 429, retry_after: 1 }
  await block.tenant.client.faults.add({ match: { operation: 'submitLead' }, effect, times: 4 })
  const leads = distributed(block, 8)
  expect(await submitAll(leads)).toBeUndefined()
  expect(requests.map(({ status }) => status)).toEqual([...Array(4).fill(429), ...Array(8).fill(200)])
  const pausedAt = Math.max(...requests.slice(0, 4).map(({ endedAt }) => endedAt ?? Number.NaN))
  expect(requests[4]?.at).toBeGreaterThanOrEqual(pausedAt + 1000)
  expect(savedAddresses()).toEqual(addressesOf(leads))
  expect(new Set(saved.map(({ outcome }) => outcome))).toEqual(new Set(['distributed']))
}

/** Expects that a run stops if no connection can be established. */
export async function stopsWithoutConnection(block: Block): Promise<void> {
  const attempts = vi.fn()
  block.names.publisher = createPublisher({
    baseUrl: await refusedBaseUrl(),
    apiKey: 'sandbox_key',
    onEvent: ({ type, callId }) => type === 'attempt' && attempts(callId),
  })
  const { submitAll, saved } = await prepare(block)
  expect(await submitAll(distributed(block, 20))).toMatchObject({ code: 'not_sent' })
  expect(saved).toEqual([])
  expect(attempts.mock.calls.length).toBeLessThanOrEqual(4)
}
