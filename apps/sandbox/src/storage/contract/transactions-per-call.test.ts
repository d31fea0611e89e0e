import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { leadToken } from '@lead-distribution/engine'
import type { SandboxStorage } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { sandboxOver } from './failing-storage.fixture.ts'
import { adapters } from './storage.fixture.ts'

/** The requests to a storage: the number of transactions, and the calls of each table method. */
interface Asked {
  transactions: number
  readonly calls: Map<string, number>
}

/** A storage that counts the requests to it. */
function counting(storage: SandboxStorage): { counted: SandboxStorage; asked: Asked } {
  const asked: Asked = { transactions: 0, calls: new Map() }
  const count = <T extends object>(tables: T): T =>
    new Proxy(tables, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          asked.calls.set(String(name), (asked.calls.get(String(name)) ?? 0) + 1)
          return Reflect.apply(value, target, given)
        }
      },
    })
  const counted: SandboxStorage = {
    ...storage,
    of: tenant => ({
      transact(work) {
        asked.transactions += 1
        return storage.of(tenant).transact(tables => work(count(tables)))
      },
      read(work) {
        asked.transactions += 1
        return storage.of(tenant).read(tables => work(count(tables)))
      },
    }),
  }
  return { counted, asked }
}

/** Opens a sandbox over a counting storage without journal writes, with a lead that an advertiser has. */
async function countingSandbox(storage: SandboxStorage) {
  const { counted, asked } = counting(storage)
  const sandbox = await sandboxOver(counted, { onError: error => expect.fail(String(error)) })
  const call = async (method: string, target: string, headers: Record<string, string> = {}, body?: object) =>
    (await sandbox.call(method, target, body, headers)).json
  const account = sandbox.account('demo') ?? expect.fail('There is no demo tenant.')
  const submit = () =>
    call('POST', '/api/v1/lead', { apikey: account.publisher.api_key }, createTestLeads(account).distributed())

  /** Resolves when the storage is idle. */
  async function quiet(): Promise<void> {
    let before: number
    do {
      before = asked.transactions
      await new Promise(resolve => setTimeout(resolve, 50))
    } while (asked.transactions !== before)
  }

  /** Runs an action, and resolves to the storage requests until its callback was attempted and the storage is idle. */
  async function askedBy(run: () => Promise<unknown>, tries: number): Promise<Asked> {
    // Excludes requests begun before, such as the first check for due jobs.
    await quiet()
    asked.transactions = 0
    asked.calls.clear()
    await run()
    await expect.poll(() => asked.calls.get('recordAttempt') ?? 0).toBe(tries)
    await quiet()
    return { transactions: asked.transactions, calls: new Map(asked.calls) }
  }

  async function distributedLead() {
    const { lead_id, redirect_url } = await submit()
    const advertiser_id = new URL(redirect_url).pathname.split('/').at(-1)
    const advertiser = account.advertisers.find(each => each.advertiser_id === advertiser_id) ?? expect.fail()
    const token = await leadToken({ ...advertiser, lead_id }, account.settings.token_format)
    return { lead_id, advertiser, pixel: `/api/v1/lead/${lead_id}/status?token=${token}&event=approved` }
  }

  const deliverTo = (callback_url: string) => call('PATCH', '/_sandbox/v1/tenants/demo', {}, { callback_url })
  return { call, submit, askedBy, distributedLead, deliverTo }
}

describe.each(Object.entries(adapters))('the number of transactions per call: %s', (name, open) => {
  /** One for the journal entry of a call, if processes share the journal. */
  const noted = name === 'postgres' ? 1 : 0

  /** Measures again, up to three times, if a check for due jobs on a busy machine was late and counted too. */
  async function measure(
    expected: number,
    once: (sandbox: Awaited<ReturnType<typeof countingSandbox>>) => Promise<Asked>,
  ): Promise<Asked> {
    let asked = await once(await countingSandbox(await open()))
    for (let more = 0; asked.transactions > expected && more < 2; more++)
      asked = await once(await countingSandbox(await open()))
    return asked
  }

  it('is one for a submission', async () => {
    const { transactions } = await measure(1 + noted, ({ submit, askedBy }) => askedBy(submit, 0))
    expect(transactions).toBe(1 + noted)
  })

  it.each([
    ['three to a receiver', 'http://127.0.0.1:3000/callbacks', 3],
    ["four to the tenant's own inbox", undefined, 4],
  ])(
    'is %s, from a pixel to its delivered callback, with a single read of the lead',
    async (_title, receiver, most) => {
      const { transactions, calls } = await measure(
        most + noted,
        async ({ call, askedBy, distributedLead, deliverTo }) => {
          if (receiver !== undefined) await deliverTo(receiver)
          const { pixel } = await distributedLead()
          return askedBy(() => call('GET', pixel), 1)
        },
      )
      expect([transactions, calls.get('findLead')]).toEqual([most + noted, 1])
    },
  )

  it('is the same for a status report in a body', async () => {
    const { transactions, calls } = await measure(3 + noted, async ({ call, askedBy, distributedLead, deliverTo }) => {
      await deliverTo('http://127.0.0.1:3000/callbacks')
      const { lead_id, advertiser } = await distributedLead()
      const headers = { apikey: advertiser.api_key }
      return askedBy(() => call('POST', `/api/v1/lead/${lead_id}/status`, headers, { status: 'approved' }), 1)
    })
    expect([transactions, calls.get('findLead')]).toEqual([3 + noted, 1])
  })

  it('is zero for a pixel with a wrong token', async () => {
    const { transactions } = await measure(noted, async ({ call, askedBy, distributedLead }) => {
      const { pixel } = await distributedLead()
      return askedBy(() => call('GET', `${pixel}0`.replace('token=', 'token=x')), 0)
    })
    expect(transactions).toBe(noted)
  })
})
