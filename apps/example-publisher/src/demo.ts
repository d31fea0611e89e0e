// The whole loop over real sockets, step by step: `npm run demo`.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { connectSandbox, createTestLeads } from '@lead-distribution/control-client'
import { createPublisher, redirectResponse } from '@lead-distribution/publisher-sdk'
import { startServer } from '@lead-distribution/sandbox'
import { startCallbackInbox } from './callback-inbox.ts'

const folder = await mkdtemp(join(tmpdir(), 'lead-demo-'))
const sandbox = await startServer({ port: 0, data: join(folder, 'sandbox.db'), logLevel: 'error' })
const account = sandbox.account()
const { tenant } = await connectSandbox(sandbox.url)
const inbox = await startCallbackInbox(account.publisher.callback_secret)
const [lead, sameCustomer] = createTestLeads(account).customerAlreadyExists()
let number = 0

try {
  step('A sandbox runs', `on ${sandbox.url}, with its data in a SQLite file`)

  await tenant.update({ callback_url: inbox.url, settings: { callback_signature: 'standard_webhooks' } })
  step('The publisher gives its callback URL', 'its own server, a random secret in the path; callbacks are signed')

  const publisher = createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key })
  const result = await publisher.submit(lead)
  assert.equal(result.outcome, 'distributed')
  step('The publisher submits a lead', `outcome ${result.outcome}, lead ${result.lead_id}`)

  const redirect = redirectResponse(result)
  step('The publisher redirects the customer', `${redirect.status} to ${redirect.headers.get('location')}`)

  const page = await fetch(result.redirect_url)
  say(`the simulated advertiser's page answers ${page.status}`)

  const again = await publisher.submit(sameCustomer)
  assert.equal(again.outcome, 'rejected')
  step('The same e-mail is submitted again', `outcome ${again.outcome}, ${again.rejection_reason}`)

  const { deliveries } = await tenant.leads.show(result.lead_id)
  const delivery = deliveries.find(({ decision }) => decision === 'accepted')
  const receiver = account.advertisers.find(({ advertiser_id }) => advertiser_id === delivery?.advertiser_id)
  assert(delivery?.postback_url && receiver)
  const advertiser = createAdvertiser({ baseUrl: account.base_url, apiKey: receiver.api_key, vocabulary: 'usage' })
  const postback = advertiser.parsePostbackUrl(delivery.postback_url)

  const fired = await advertiser.fire(postback, { event: 'registration', ref: 'loan-4711' })
  assert.equal(fired.outcome, 'received')
  step(`${receiver.name} fires its postback URL`, `registration: ${fired.outcome}`)
  await showCallback('registration')

  const report = { status: 'loan_issued', metadata: { amount: 5000, term_months: 24 } } as const
  const reported = await advertiser.reportStatus(result.lead_id, report)
  assert.equal(reported.outcome, 'reported')
  step(`${receiver.name} reports by JSON call`, `loan_issued: ${reported.outcome}`)
  await showCallback('approved')

  const repeat = await advertiser.fire(postback, { event: 'loan_issued' })
  assert.equal(repeat.outcome, 'ignored')
  step('The same event comes once more, by postback', `${repeat.outcome}: one event, one callback`)

  say('\nThe loop is closed.')
} finally {
  await inbox.close()
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
}

async function showCallback(event: string): Promise<void> {
  const callback = await inbox.next()
  assert.equal(callback.event, event)
  say(`the publisher's callback came: ${callback.rawEvent} for ${callback.lead_id}, assured by ${callback.assurance}`)
}

function step(what: string, outcome: string): void {
  number += 1
  console.log(`\n${number}. ${what}\n   ${outcome}`)
}

function say(text: string): void {
  console.log(`   ${text}`.replace(/^ {3}\n/, '\n'))
}
