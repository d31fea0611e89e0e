import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createTestLeads, scenarioAddress } from '@lead-distribution/contract/test-leads'
import { leadToken } from '@lead-distribution/engine'
import { createMemoryStorage, type SandboxStorage } from '@lead-distribution/simulator'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { type Editable, editables } from './editable-storage.fixture.ts'
import { type FailurePlace, failing, sandboxOver, timeOfTests } from './failing-storage.fixture.ts'

type Sandbox = Awaited<ReturnType<typeof sandboxOver>>
type Call = Sandbox['call']

const qa = '/_sandbox/v1/tenants/qa'

function accountOf({ account }: Sandbox) {
  return account('qa') ?? expect.fail('There is no tenant qa.')
}

const submission = (sandbox: Sandbox, address: string) =>
  createTestLeads(accountOf(sandbox), { today: new Date(timeOfTests) }).distributed({
    customer: { contact: { email: { address } } },
  })

function submit(sandbox: Sandbox, address: string) {
  return sandbox.call('POST', '/api/v1/lead', submission(sandbox, address), {
    apikey: accountOf(sandbox).publisher.api_key,
  })
}

/** The lead in the base state, and the advertiser that has it. */
async function knownLead(sandbox: Sandbox) {
  const { leads } = (await sandbox.call('GET', `${qa}/leads?email=known@example.com`)).json
  const { lead_id, advertisers } = leads[0]
  const [{ advertiser_id }] = advertisers
  const advertiser = accountOf(sandbox).advertisers.find(each => each.advertiser_id === advertiser_id) ?? expect.fail()
  return { lead_id: lead_id as string, advertiser }
}

type KnownLead = Awaited<ReturnType<typeof knownLead>>

/** Each step: its name, and the request that makes the change. */
const steps: Record<string, (sandbox: Sandbox, known: KnownLead) => ReturnType<Call>> = {
  'creating a tenant': ({ call }) => call('POST', '/_sandbox/v1/tenants', { name: 'new', seed: 1 }),
  'changing a tenant': ({ call }) => call('PATCH', qa, { settings: { gender: 'required' } }),
  'deleting a tenant': ({ call }) => call('DELETE', qa),
  'resetting a tenant': ({ call }) => call('POST', `${qa}/reset`, {}),
  'saving a snapshot': ({ call }) => call('POST', `${qa}/snapshots`, { name: 'now' }),
  'saving over a snapshot': ({ call }) => call('POST', `${qa}/snapshots`, { name: 'then' }),
  'restoring a snapshot': ({ call }) => call('POST', `${qa}/snapshots/then/restore`, {}),
  'deleting a snapshot': ({ call }) => call('DELETE', `${qa}/snapshots/then`),
  'freezing the clock': ({ call }) => call('POST', `${qa}/clock`, { freeze: true }),
  'setting the clock': ({ call }) => call('POST', `${qa}/clock`, { set: '2026-07-01T00:00:00Z' }),
  'advancing the clock': ({ call }) => call('POST', `${qa}/clock/advance`, { by: 'P1D' }),
  'adding a fault': ({ call }) =>
    call('POST', `${qa}/faults`, { match: { operation: 'submitLead' }, effect: { status: 418 } }),
  'removing a fault': ({ call }) => call('DELETE', `${qa}/faults/f1`),
  'removing all faults': ({ call }) => call('DELETE', `${qa}/faults`),
  'setting the inbox': ({ call }) => call('PATCH', `${qa}/inbox`, { status: 410 }),
  'taking a callback': ({ call }) => call('GET', '/_sandbox/inbox/qa?lead_id=l1&event=sale'),
  'submitting a lead': sandbox => submit(sandbox, 'new@example.com'),
  'submitting the lead of a chain': sandbox => submit(sandbox, scenarioAddress('http_500.new', '1')),
  'reporting an event': async (sandbox, { lead_id, advertiser }) => {
    const token = await leadToken({ ...advertiser, lead_id }, accountOf(sandbox).settings.token_format)
    return sandbox.call('GET', `/api/v1/lead/${lead_id}/status?token=${token}&event=approved`)
  },
  'a call affected by a fault': ({ call }, { lead_id, advertiser }) =>
    call('POST', `/api/v1/lead/${lead_id}/status`, { status: 'sale' }, { apikey: advertiser.api_key }),
}

/**
 * On PostgreSQL, where each run needs its own schema, only the steps with their own transactions in the storage. The
 * other steps resemble the submission of a lead.
 */
const chosen = inject('postgresUrl')
  ? ['deleting a tenant', 'resetting a tenant', 'saving over a snapshot', 'restoring a snapshot', 'submitting a lead']
  : Object.keys(steps)

/** Calls that consist of several atomic steps: the last one may be done even if the call as a whole fails. */
const doneOnTheWay = new Set(['advancing the clock'])

/** Creates a sandbox with some of everything. */
async function baseOver(storage: SandboxStorage): Promise<Sandbox> {
  const sandbox = await sandboxOver(storage)
  const { call } = sandbox
  await call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7, callback_url: 'http://127.0.0.1:3000/callbacks' })
  await submit(sandbox, 'known@example.com')
  await call('POST', `${qa}/faults`, { match: { operation: 'reportStatus' }, effect: { status: 418 }, times: 2 })
  await call('PATCH', `${qa}/inbox`, { status: 410, times: 2 })
  await call('POST', `${qa}/snapshots`, { name: 'then' })
  await submit(sandbox, 'later@example.com')
  await submit(sandbox, scenarioAddress('http_500.distributed', '1'))
  return sandbox
}

/**
 * Returns the whole visible state of a sandbox except the journal, which may lose its last entries, and the attempts of
 * callbacks, which proceed in the background.
 */
async function viewOf({ call }: Sandbox) {
  const { tenants } = (await call('GET', '/_sandbox/v1/tenants')).json
  const names: string[] = tenants.map(({ tenant }: { tenant: string }) => tenant).sort()
  const view: Record<string, unknown> = {}
  for (const name of names) {
    const show = async (path: string) => (await call('GET', `/_sandbox/v1/tenants/${name}${path}`)).json
    const { callbacks } = await show('/callbacks')
    const { leads }: { leads: { lead_id: string }[] } = await show('/leads')
    const whole = await Promise.all(leads.map(({ lead_id }) => show(`/leads/${lead_id}`)))
    view[name] = [
      ...[await show(''), await show('/clock'), await show('/faults'), await show('/inbox')],
      // A failed reset or restore may already have saved a snapshot, which does not change the tenant.
      (await show('/snapshots')).snapshots.filter(({ name }: { name: string }) => !name.startsWith('before-')),
      whole.map(({ callbacks: _, ...lead }) => lead),
      callbacks.map(({ callback_id, event }: Record<string, string>) => [callback_id, event]),
    ]
  }
  return view
}

/**
 * Runs a step while one of its transactions may fail: returns its status, and the state before, after, and after
 * reopening.
 */
async function run(step: string, { open }: Editable, number?: number, place?: FailurePlace) {
  const failed = failing(await open())
  const sandbox = await baseOver(failed.storage)
  const before = await viewOf(sandbox)
  const known = await knownLead(sandbox)
  failed.arm(number, place)
  const { status } = await (steps[step] ?? expect.fail(step))(sandbox, known)
  await settled(failed.begun)
  const begun = failed.begun()
  failed.arm()
  const after = await viewOf(sandbox)
  await sandbox.close()
  const again = await sandboxOver(await open())
  onTestFinished(() => again.close())
  return { status, begun, before, after, reopened: await viewOf(again) }
}

/** Waits until no more transactions begin, because a step's effects continue after its response. */
async function settled(count: () => number): Promise<void> {
  for (let quiet = 0, seen = count(); quiet < 25; quiet++) {
    await nextTurn()
    if (count() !== seen) quiet = 0
    seen = count()
  }
}

describe.each(Object.entries(editables))('when a transaction fails: %s', (_name, create) => {
  it.each(chosen)('%s is atomic, in memory as well as on disk', async step => {
    const done = await run(step, await create())
    expect(done.begun).toBeGreaterThan(0)
    expect(done.reopened).toEqual(done.after)
    for (const place of ['its beginning', 'its commit'] as const)
      for (let number = 1; number <= done.begun; number++) {
        const { status, before, after, reopened } = await run(step, await create(), number, place)
        const where = `transaction ${number} of ${done.begun} at ${place}`
        expect([done.status, 503], where).toContain(status)
        const isDone = status === done.status || (doneOnTheWay.has(step) && isDeepStrictEqual(after, done.after))
        expect(after, where).toEqual(isDone ? done.after : before)
        expect(reopened, where).toEqual(after)
      }
  })
})

it('responds to a lead with 503 and when to retry, and the health page explains the error', async () => {
  const failed = failing(createMemoryStorage())
  const sandbox = await baseOver(failed.storage)
  failed.arm(1)
  const refused = await submit(sandbox, 'ana@example.com')
  expect(refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    json: { error: 'service_unavailable', message: expect.stringContaining('GET /_sandbox/health says why') },
  })
  expect((await submit(sandbox, 'ana@example.com')).json.status).toBe('distributed')
  const { requests } = (await sandbox.call('GET', `${qa}/requests?limit=2`)).json
  expect(requests.map((request: { status: number }) => request.status)).toEqual([200, 503])
})

describe('advancing the clock', () => {
  /** A clock on which time passes as soon as something waits for it. */
  function quickTime() {
    let now = timeOfTests
    return {
      steadyClock: { now: () => now },
      timer: {
        after(ms: number, run: () => void) {
          const immediate = setImmediate(() => {
            now += ms
            run()
          })
          return () => clearImmediate(immediate)
        },
      },
    }
  }

  /**
   * Creates two leads whose callbacks fail until the last retry, then advances past all retries while one transaction
   * fails.
   */
  async function advanced(number?: number, place?: FailurePlace) {
    const failed = failing(createMemoryStorage())
    const get = async ({ attempt = 1 }: { attempt?: number | undefined }) => ({ status: attempt < 4 ? 503 : 200 })
    const dialer = { get, post: async () => ({ status: 204 }), close: () => undefined }
    const sandbox = await sandboxOver(failed.storage, { dialer, ...quickTime() })
    onTestFinished(() => sandbox.close())
    const { call } = sandbox
    const tenant = {
      name: 'qa',
      callback_url: 'http://127.0.0.1:3000/callbacks',
      frozen_at: new Date(timeOfTests).toISOString(),
      settings: {
        callback_retries: ['PT5S', 'PT30S', 'PT5M'],
        lifecycle: [
          { event: 'registration', after: 'PT20S' },
          { event: 'completed', after: 'PT10M' },
        ],
      },
    }
    await call('POST', '/_sandbox/v1/tenants', tenant)
    for (const [address, by] of [
      ['one@example.com', 'PT3S'],
      ['two@example.com', 'PT0S'],
    ] as const) {
      const { lead_id } = (await submit(sandbox, address)).json
      const apikey = accountOf(sandbox).advertisers[0]?.api_key ?? ''
      await call('POST', `/api/v1/lead/${lead_id}/status`, { status: 'approved' }, { apikey })
      await call('POST', `${qa}/clock/advance`, { by })
    }
    const until = Date.parse((await call('GET', `${qa}/clock`)).json.now) + 3_600_000
    failed.arm(number, place)
    const statuses: number[] = []
    for (let left = 3_600_000; left > 0 && statuses.length < 3; ) {
      statuses.push((await call('POST', `${qa}/clock/advance`, { by: `PT${left / 1000}S` })).status)
      if (statuses.length === 1) await settled(failed.begun)
      left = until - Date.parse((await call('GET', `${qa}/clock`)).json.now)
    }
    const begun = failed.begun()
    const { leads } = (await call('GET', `${qa}/leads`)).json
    const whole = leads.map(async ({ lead_id }: { lead_id: string }) => {
      const { events, callbacks } = (await call('GET', `${qa}/leads/${lead_id}`)).json
      return [
        events.map(({ event, recorded_at }: Record<string, string>) => [event, recorded_at]),
        callbacks.map(({ attempts }: { attempts: { at: string }[] }) => attempts.map(({ at }) => at)),
      ]
    })
    return { statuses, begun, happened: await Promise.all(whole) }
  }

  it('stops at a job that fails, which runs at its due time on the next advance', async () => {
    const done = await advanced()
    expect(done).toMatchObject({
      statuses: [200],
      happened: Array(2).fill([{ length: 3 }, Array(3).fill({ length: 4 })]),
    })
    for (const place of ['its beginning', 'its commit'] as const)
      for (let number = 1; number <= done.begun; number++) {
        const { statuses, happened } = await advanced(number, place)
        const where = `transaction ${number} of ${done.begun} at ${place}`
        expect([[200], [503], [503, 200]], where).toContainEqual(statuses)
        expect(happened, where).toEqual(done.happened)
      }
  })
})
