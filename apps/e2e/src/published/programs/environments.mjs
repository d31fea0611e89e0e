// A user's test, run in every environment and pool in which msw itself works.
import { createLeadSandbox } from '@lead-distribution/msw'
import { useLeadSandbox } from '@lead-distribution/msw/vitest'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, it } from 'vitest'

const own = 'https://sandbox.leads.test/own'
const server = setupServer(http.post(own, async ({ request }) => HttpResponse.json(await request.json())))
beforeAll(() => server.listen())
afterAll(() => server.close())

const callbacks = []
const sandbox = useLeadSandbox({ server, onCallback: ({ url }) => callbacks.push(url) })

const headersOf = ({ publisher }) => ({ apikey: publisher.api_key, 'Content-Type': 'application/json' })
const publisherOf = ({ base_url: baseUrl, publisher }, options) =>
  createPublisher({ baseUrl, apiKey: publisher.api_key, ...options })
const requestOf = ({ account, testLeads }) => ({
  method: 'POST',
  headers: headersOf(account),
  body: JSON.stringify(testLeads.distributed()),
})

it('msw works', async () => {
  const response = await fetch(own, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":1}',
  })
  expect(await response.json()).toEqual({ a: 1 })
})

it('takes a lead of the SDK to its callback', async () => {
  const result = await publisherOf(sandbox.account).submit(sandbox.testLeads.distributed())
  await expect(result).toBeDistributed()
  await sandbox.leads.trigger(result.lead_id, { event: 'approved' })
  await expect(sandbox).toHaveDelivered({ event: 'approved', leadId: result.lead_id })
  expect(callbacks).toHaveLength(1)
  expect(await sandbox.show()).toEqual(sandbox.account)
})

it('takes a request whose header names are in capitals', async () => {
  const response = await fetch(`${sandbox.account.base_url}/lead`, requestOf(sandbox))
  expect([response.status, await response.json()]).toMatchObject([200, { status: 'distributed' }])
})

const byXmlHttpRequest = async () => {
  const { method, headers, body } = requestOf(sandbox)
  const request = new XMLHttpRequest()
  const ended = new Promise(resolve => request.addEventListener('loadend', resolve))
  request.open(method, `${sandbox.account.base_url}/lead`)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.send(body)
  await ended
  expect([request.status, JSON.parse(request.responseText)]).toMatchObject([200, { status: 'distributed' }])
}
if (globalThis.XMLHttpRequest) it('takes a request by XMLHttpRequest', byXmlHttpRequest)

it('has a fetch of its own, whose connection a fault cuts', async () => {
  const { account, testLeads, fetch, faults, close } = await createLeadSandbox()
  expect((await publisherOf(account, { fetch }).submit(testLeads.distributed())).outcome).toBe('distributed')
  const url = `${account.base_url}/lead`
  for (const input of [url, new URL(url)])
    expect((await fetch(input, requestOf({ account, testLeads }))).status).toBe(200)
  expect((await fetch(new Request(url, requestOf({ account, testLeads })))).status).toBe(200)
  await faults.add({ match: { operation: 'submitLead' }, effect: { lost_reply: true } })
  await expect(fetch(url, requestOf({ account, testLeads }))).rejects.toThrow('fetch failed')
  await close()
})
