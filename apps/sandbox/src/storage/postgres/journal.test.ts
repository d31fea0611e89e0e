import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'
import { StorageUnavailable } from '@lead-distribution/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { openSandbox } from '../../open-sandbox.ts'
import { emptyDatabase } from './database.fixture.ts'
import { openProxy } from './proxy.fixture.ts'
import { startPostgres } from './server.fixture.ts'

const qa = '/_sandbox/v1/tenants/qa'

/** Opens a sandbox with a tenant that has no requests yet. */
async function opened(data: string) {
  const errors: unknown[] = []
  const url = 'http://127.0.0.1:4010'
  const sandbox = await openSandbox(
    { data },
    url,
    { isShared: false },
    error => errors.push(error),
    () => 0,
  )
  onTestFinished(() => sandbox.close())
  const call = async (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
    const bytes = new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body))
    const response = await sandbox.handle({
      method,
      target,
      headers: { 'content-type': 'application/json', ...headers },
      body: bytes,
    })
    return { status: response.status, json: JSON.parse(response.body) }
  }
  const account: Account = (await call('POST', '/_sandbox/v1/tenants', { name: 'qa' })).json
  const leads = createTestLeads(account)
  return {
    errors,
    /** Submits a lead, and returns the status and the request id. */
    async submit() {
      const id: string = randomUUID()
      const lead = leads.distributed({ customer: { contact: { email: { address: `${id}@example.com` } } } })
      const headers = { apikey: account.publisher.api_key, 'x-request-id': id }
      return { id, status: (await call('POST', '/api/v1/lead', lead, headers)).status }
    },
    /** Returns the request ids in the journal, oldest first, and the number of leads. */
    async journal() {
      const { status, json } = await call('GET', `${qa}/requests?limit=500`)
      if (status !== 200) return undefined
      const shown = await Promise.all(
        json.requests.map(async ({ request_id }: { request_id: string }) =>
          call('GET', `${qa}/requests/${request_id}`),
        ),
      )
      const ids = shown.map(each => each.json.request_headers['x-request-id']).reverse()
      const { items } = (await call('GET', `${qa}/coverage`)).json
      const counted = items
        .filter(({ kind }: { kind: string }) => kind === 'outcome')
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0)
      return { ids, counted }
    },
  }
}

it.each(['before the commit', 'before its response'] as const)(
  'has a request once, before its response, even if the connection is lost %s of its row',
  async at => {
    const proxy = await openProxy(await emptyDatabase())
    const { submit, journal, errors } = await opened(proxy.url)
    const first = await submit()
    proxy.cut({ at, isRelaxed: true, once: true })
    const second = await submit()
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await journal()).toEqual({ ids: [first.id, second.id], counted: 2 })
    expect(errors).toEqual([expect.any(StorageUnavailable)])
  },
)

it('has every request that got a response once, including a 503, even if the database restarts', async () => {
  const server = await startPostgres()
  onTestFinished(server.end)
  const { submit, journal } = await opened(server.url)
  const responses: { id: string; status: number }[] = []
  let goes = true
  const submitting = Array.from({ length: 4 }, async () => {
    // Fewer requests than a page of the journal.
    for (; goes; await wait(20)) responses.push(await submit())
  })
  const statuses = (from = 0) => responses.slice(from).map(({ status }) => status)
  await expect.poll(() => statuses()).toContain(200)
  await server.stop()
  await expect.poll(() => statuses()).toContain(503)
  await server.start()
  const before = responses.length
  await expect.poll(() => statuses(before)).toContain(200)
  goes = false
  await Promise.all(submitting)
  const counted = statuses().filter(status => status === 200).length
  // A 503 does not wait for its journal row.
  const sorted = async () => {
    const found = await journal()
    return found && { ...found, ids: found.ids.sort() }
  }
  await expect.poll(sorted).toEqual({ ids: responses.map(({ id }) => id).sort(), counted })
})
