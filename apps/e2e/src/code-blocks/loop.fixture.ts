// The names that the README's loop assumes, for `node --import`. Prints what the loop sends, and the events at its end.
import { connectSandbox } from '@lead-distribution/control-client'
import { createPublisher, type LeadSubmission } from '@lead-distribution/publisher-sdk'
import { createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'

declare global {
  var baseUrl: string
  var publisherKey: string
  var advertiserKey: string
  var lead: LeadSubmission
  var lead_id: string
  var postbackUrl: string
  var callbackSecret: string
  var send: (response: Response) => void
  var record: (...event: readonly unknown[]) => void
}

const { account, leads, testLeads } = (await connectSandbox({ baseUrl: process.env.LEAD_SANDBOX_URL ?? '' })).tenant
globalThis.baseUrl = account.base_url
globalThis.publisherKey = account.publisher.api_key
globalThis.advertiserKey = account.advertisers[0]?.api_key ?? ''
globalThis.lead = testLeads.distributed()
const earlier = await createPublisher({ baseUrl, apiKey: publisherKey }).submit(testLeads.distributed())
globalThis.lead_id = earlier.lead_id ?? ''
globalThis.postbackUrl = (await leads.show(lead_id)).deliveries[0]?.postback_url ?? ''
globalThis.callbackSecret = createCallbackUrl('http://127.0.0.1/callbacks').secret
globalThis.send = response => console.log(response.status)
globalThis.record = () => {}
process.once('beforeExit', async () => {
  const { events } = await leads.show(lead_id)
  console.log(...events.map(({ event }) => event))
})
