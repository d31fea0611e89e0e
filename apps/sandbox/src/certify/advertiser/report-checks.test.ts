import { leadToken, usualTokenFormat } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { advertiserChecker, fire, type TestAdvertiser } from './advertiser.fixture.ts'

const { finds, account, round } = advertiserChecker()
const good: TestAdvertiser = ({ postback_url }, event) => fire(`${postback_url}&event=${event}&ref=loan-1`)

describe('an application that fires the URL as delivered', () => {
  it.each([
    'pixel.as_given',
    'pixel.other_token',
    'pixel.tokens_apart',
    'pixel.get',
    'event.approved',
    'event.defaulted',
  ])('passes %s', async id => expect(await finds(id, good)).toMatch(/^passed: /))

  it('may use the other name of an event', async () => {
    const usage: TestAdvertiser = (lead, event) => good(lead, event.replace('approved', 'loan_issued'), '')
    expect(await finds('event.approved', usage)).toBe('passed: The event was reported as loan_issued.')
  })

  it.each(['json.post', 'json.body'])('proves nothing for %s', async id =>
    expect(await finds(id, good)).toMatch(/^not_seen: .*--report-command/),
  )
})

describe('a URL that was', () => {
  const changed =
    (change: (url: string) => string): TestAdvertiser =>
    ({ postback_url }, event) =>
      fire(`${change(postback_url)}&event=${event}`)
  it.each<[string, RegExp, (url: string) => string]>([
    ['sent to another host', /host of the URL was changed/, url => url.replace('127.0.0.1', 'localhost')],
    ['written anew', /re-encoded/, url => `${url.split('?')[0]}?${new URLSearchParams(url.split('?')[1])}`],
    ['put in another order', /reordered/, url => url.replace(/\?(src=[^&]*)&(.*)/, '?$2&$1')],
    ['built by hand', /built by hand/, url => url.replace(/src=[^&]*&/, '')],
    ['cut', /The token or another parameter/, url => url.slice(0, -1)],
    ['sent with more', /Something other/, url => `${url}&sub_id=7`],
    ['sent to another path', /The path/, url => url.replace('/status?', '/%73tatus?')],
  ])('%s is reported', async (_what, message, change) => {
    expect(await finds('pixel.as_given', changed(change))).toMatch(new RegExp(`^failed: .*${message.source}`))
  })

  it.each(['HEAD', 'POST'])('fired by %s is reported', async method => {
    const application: TestAdvertiser = ({ postback_url }, event) => fire(`${postback_url}&event=${event}`, { method })
    expect(await finds('pixel.get', application)).toBe(`failed: 1 of 1 pixel used ${method}.`)
  })

  it('computed with the shared secret is reported', async () => {
    const application: TestAdvertiser = async ({ lead_id, status_url }, event) => {
      const [own] = account().advertisers
      const token = own && (await leadToken({ ...own, lead_id }, usualTokenFormat))
      await fire(`${status_url}?token=${token}&event=${event}`)
    }
    expect(await finds('pixel.other_token', application)).toMatch(/^failed: .*computed/)
  })

  it('that of another lead is reported', async () => {
    let last = ''
    const application: TestAdvertiser = async ({ lead_id, postback_url }, event) => {
      last = postback_url
      await new Promise(setImmediate)
      await fire(`${last.replace(/lead\/[^/]+/, `lead/${lead_id}`)}&event=${event}`)
    }
    expect(await finds('pixel.tokens_apart', application)).toBe(
      'failed: A pixel of one lead had the token of the other.',
    )
  })
})

describe('an event', () => {
  it('by a name that the service does not know is reported with the one that was meant', async () => {
    const application: TestAdvertiser = (lead, event) => good(lead, event.replace('approved', 'aproved'), '')
    expect(await finds('event.approved', application)).toMatch(/^failed: .*did you mean `approved`/)
    expect(await finds('event.completed', application)).toMatch(/^not_seen: .*fix event\.approved first/)
  })

  it('that never comes fails, and spares the wait for the next one', async () => {
    const silent: TestAdvertiser = async () => {}
    expect(await finds('event.registration', silent)).toMatch(/^failed: .*No report/)
    const next = await round(silent)
    await next.report(await next.newLead(), 'registration')
    expect(next.isSilent()).toBe(true)
  })
})

it('reports a key in a URL, and that a pixel needs none', async () => {
  const [own] = account().advertisers
  const key = own?.api_key ?? ''
  const inUrl: TestAdvertiser = ({ postback_url }, event) => fire(`${postback_url}&event=${event}&k=${key}`)
  const onPixel: TestAdvertiser = ({ postback_url }, event) =>
    fire(`${postback_url}&event=${event}`, { headers: { apikey: key } })
  expect(await finds('key.header_only', inUrl)).toBe('failed: The key was in the URL of 1 call.')
  expect(await finds('key.header_only', onPixel)).toMatch(/^passed: .*1 pixel\. Pixels don't need it/)
  expect(await finds('key.header_only', good)).toMatch(/^passed: .*no pixel carried it\.$/)
})
