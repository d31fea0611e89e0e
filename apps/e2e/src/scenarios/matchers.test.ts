import { connectSandbox } from '@lead-distribution/control-client'
import { explainFailuresBy } from '@lead-distribution/msw/vitest'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { startServer } from '@lead-distribution/sandbox'
import { expect, it, onTestFinished } from 'vitest'

it('matchers explain a failing test by a running sandbox', async () => {
  const server = await startServer({ port: 0, logLevel: 'silent' })
  onTestFinished(() => server.close())
  const sandbox = await connectSandbox(server.url)
  const tenant = await sandbox.createTenant({ name: 'matchers' })
  onTestFinished(explainFailuresBy(tenant))
  const { account, testLeads } = tenant
  const publisher = createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key })

  const rejected = await publisher.submit(testLeads.incomeInsufficient())
  await expect(rejected).toBeRejected('income_insufficient')
  await expect(expect(rejected).toBeDistributed()).rejects.toThrow(/income +rejected +599 +600/)

  const [first, second] = testLeads.customerAlreadyExists()
  const distributed = await publisher.submit(first)
  await expect(distributed).toBeDistributed()
  await expect(expect(await publisher.submit(second)).toBeNew()).rejects.toThrow('Submit another e-mail address')

  const { lead_id } = distributed
  await tenant.leads.trigger(`${lead_id}`, { event: 'approved' })
  await expect(tenant).toHaveDelivered({ event: 'approved', lead_id })
  await tenant.inbox.change({ status: 503 })
  await tenant.leads.trigger(`${lead_id}`, { event: 'completed' })
  const failing = expect(tenant).toHaveDelivered({ event: 'completed', lead_id, timeout_ms: 100 })
  await expect(failing).rejects.toThrow(/loan_paid to 127\.0\.0\.1:\d+: pending/)
})
