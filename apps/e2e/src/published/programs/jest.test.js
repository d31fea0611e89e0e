import { jest } from '@jest/globals'
import { createLeadSandbox } from '@lead-distribution/msw'
import { explainFailuresBy } from '@lead-distribution/msw/jest'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { setupServer } from 'msw/node'

test('a test callback is a signed request', async () => {
  const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
  const callback = { url: 'https://publisher.example/cb', secret, lead_id: crypto.randomUUID(), event: 'approved' }
  expect((await createTestCallback(callback)).headers.get('webhook-signature')).toMatch(/^v1,/)
})

test('the sandbox behind msw takes a lead to its callback', async () => {
  const sandbox = await createLeadSandbox()
  const server = setupServer(...sandbox.handlers)
  server.listen()
  const { account, leads, testLeads } = sandbox
  const response = await fetch(`${account.base_url}/lead`, {
    method: 'POST',
    headers: { apikey: account.publisher.api_key, 'Content-Type': 'application/json' },
    body: JSON.stringify(testLeads.distributed()),
  })
  const { status, lead_id } = await response.json()
  expect(status).toBe('distributed')
  await leads.trigger(lead_id, { event: 'approved' })
  await expect(sandbox).toHaveDelivered({ event: 'approved', leadId: lead_id })
  server.close()
  await sandbox.close()
})

test('a wait ends with fake timers', async () => {
  const sandbox = await createLeadSandbox()
  jest.useFakeTimers()
  const wanted = { event: 'approved', leadId: crypto.randomUUID(), timeoutMs: 50 }
  await expect(expect(sandbox).toHaveDelivered(wanted)).rejects.toThrow('within 50 ms')
  jest.useRealTimers()
  await sandbox.close()
})

test('a matcher that fails prints the checks', async () => {
  const sandbox = await createLeadSandbox()
  explainFailuresBy(sandbox)
  const { account, fetch, testLeads } = sandbox
  const publisher = createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key, fetch })
  const result = await publisher.submit(testLeads.incomeInsufficient())
  await expect(result).toBeRejected('income_insufficient')
  await expect(expect(result).toBeNew()).rejects.toThrow(/income +rejected +599 +600/)
  await sandbox.close()
})
