// The whole loop through real sockets, told step by step: `npm run demo`.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createPublisher, redirectResponse } from '@lead-distribution/publisher-sdk'
import { startServer } from '@lead-distribution/sandbox'
import { createTestLeads } from '@lead-distribution/test-leads'
import { startCallbackInbox } from './callback-inbox.ts'
import { createControl } from './control.ts'
import { say, step } from './story.ts'

const folder = await mkdtemp(join(tmpdir(), 'lead-demo-'))
const sandbox = await startServer({ port: 0, data: join(folder, 'sandbox.db'), logLevel: 'error' })
const account = sandbox.account()
const control = createControl(sandbox.url, account.tenant)
const inbox = await startCallbackInbox(account.publisher.callback_secret)
const [lead, sameCustomer] = createTestLeads(account).customerAlreadyExists()

try {
  step('A sandbox runs', `on ${sandbox.url}, with its data in a SQLite file`)

  await control.change({ callback_url: inbox.url, settings: { callback_signature: 'standard_webhooks' } })
  step('The publisher gives its callback URL', 'its own server, a random secret in the path; callbacks are signed')

  const publisher = createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key })
  const result = await publisher.submit(lead)
  assert.equal(result.outcome, 'distributed')
  step('The publisher submits a lead', `outcome ${result.outcome}, lead ${result.lead_id}`)

  const redirect = redirectResponse(result)
  step('The publisher redirects the customer', `${redirect.status} to ${redirect.headers.get('location')}`)

  const page = await fetch(result.redirect_url)
  say(`the simulated lender's page answers ${page.status}`)

  const again = await publisher.submit(sameCustomer)
  assert.equal(again.outcome, 'rejected')
  step('The same e-mail is submitted again', `outcome ${again.outcome}, ${again.rejection_reason}`)

  const { deliveries } = await control.lead(result.lead_id)
  const delivery = deliveries.find(({ decision }) => decision === 'accepted')
  const lender = account.advertisers.find(({ advertiser_id }) => advertiser_id === delivery?.advertiser_id)
  assert(delivery?.postback_url && lender)
  const advertiser = createAdvertiser({ baseUrl: account.base_url, apiKey: lender.api_key, vocabulary: 'usage' })
  const postback = advertiser.parsePostbackUrl(delivery.postback_url)

  const fired = await advertiser.fire(postback, { event: 'registration', ref: 'loan-4711' })
  assert.equal(fired.outcome, 'received')
  step(`${lender.name} fires its postback URL`, `registration: ${fired.outcome}`)
  await tellCallback('registration')

  const report = { status: 'loan_issued', metadata: { amount: 5000, term_months: 24 } } as const
  const reported = await advertiser.reportStatus(result.lead_id, report)
  assert.equal(reported.outcome, 'reported')
  step(`${lender.name} reports by JSON call`, `loan_issued: ${reported.outcome}`)
  await tellCallback('approved')

  const repeat = await advertiser.fire(postback, { event: 'loan_issued' })
  assert.equal(repeat.outcome, 'ignored')
  step('The same event comes once more, by postback', `${repeat.outcome}: one event, one callback`)

  say('\nThe loop is closed.')
} finally {
  await inbox.close()
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
}

async function tellCallback(event: string): Promise<void> {
  const callback = await inbox.next()
  assert.equal(callback.event, event)
  say(`the publisher's callback came: ${callback.rawEvent} for ${callback.lead_id}, assured by ${callback.assurance}`)
}
