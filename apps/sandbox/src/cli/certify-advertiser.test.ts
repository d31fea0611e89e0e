import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { leadToken, usualTokenFormat } from '@lead-distribution/contract'
import { type AdvertiserLead, demoAccount } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { listening } from '../listening.fixture.ts'
import { certify, only } from './certify.fixture.ts'

/** An advertiser's application, reduced to the requests that it sends for a lead's event. */
type TestAdvertiser = (lead: AdvertiserLead, event: string) => unknown

const [{ api_key, ...own }] = [demoAccount.advertisers[0] ?? expect.fail()]

/** Fires a postback URL correctly, ignoring network errors. */
const fire = (url: string, init: RequestInit = {}): Promise<Response | undefined> =>
  fetch(url, { redirect: 'manual', ...init }).catch(() => undefined)

const once: TestAdvertiser = ({ postback_url }, event) => fire(`${postback_url}&event=${event}`)
const times =
  (count: number, send = once): TestAdvertiser =>
  async (lead, event) => {
    for (let nth = 0; nth < count; nth++) await send(lead, event)
  }

/** Fires a postback URL until there is a response, at most eight times. */
const insist: TestAdvertiser = async ({ postback_url }, event) => {
  for (let tries = 0; tries < 8; tries++) {
    const reply = await fire(`${postback_url}&event=${event}`)
    if (reply && reply.status < 500) return
  }
}

const changing =
  (change: (url: string) => string, init?: RequestInit): TestAdvertiser =>
  ({ postback_url }, event) =>
    fire(`${change(postback_url)}&event=${event}`, init)

/** An application that sends this JSON request. */
const byJson =
  (init: (event: string) => RequestInit): TestAdvertiser =>
  ({ status_url }, event) => {
    const { method = 'POST', headers, ...rest } = init(event)
    return fire(status_url, {
      method,
      headers: { apikey: api_key, 'content-type': 'application/json', ...headers },
      ...rest,
    })
  }

const statusOf = (event: string) => ({
  body: JSON.stringify({ status: event, metadata: { amount: 5000, term_months: 24 } }),
})
const sending = (body: object | string) =>
  byJson(() => ({ body: typeof body === 'string' ? body : JSON.stringify(body) }))

/** The name of an application, the application, and the finding for each check: `verdict: seen warning`. */
type Row = readonly [title: string, application: TestAdvertiser, findings: Readonly<Record<string, RegExp>>]

const pixels: readonly Row[] = [
  [
    'fires the URL as delivered',
    changing(url => `${url}&ref=loan-1`),
    {
      'event.approved': /^passed: The event was reported as approved\.$/,
      'event.defaulted': /^passed/,
      'pixel.as_given': /^passed/,
      'pixel.other_token': /^passed/,
      'pixel.tokens_apart': /^passed/,
      'pixel.get': /^passed/,
      'json.post': /^not_seen: .*--report-command/,
      'json.body': /^not_seen: .*--report-command/,
      'key.header_only': /^passed: .*no pixel carried it\.$/,
    },
  ],
  [
    "sends the event's name in the other vocabulary",
    (lead, event) => once(lead, event.replace('approved', 'loan_issued')),
    { 'event.approved': /^passed: The event was reported as loan_issued\.$/ },
  ],
  [
    'sends to another host',
    changing(url => url.replace('127.0.0.1', 'localhost')),
    { 'pixel.as_given': /^failed: .*host of the URL was changed/ },
  ],
  [
    're-encodes the URL',
    changing(url => `${url.split('?')[0]}?${new URLSearchParams(url.split('?')[1])}`),
    { 'pixel.as_given': /^failed: .*re-encoded/ },
  ],
  [
    'reorders the parameters',
    changing(url => url.replace(/\?(src=[^&]*)&(.*)/, '?$2&$1')),
    { 'pixel.as_given': /^failed: .*reordered/ },
  ],
  [
    'builds the URL by hand',
    changing(url => url.replace(/src=[^&]*&/, '')),
    { 'pixel.as_given': /^failed: .*built by hand/ },
  ],
  [
    'truncates the URL',
    changing(url => url.slice(0, -1)),
    { 'pixel.as_given': /^failed: The token or another parameter/ },
  ],
  ['adds a parameter', changing(url => `${url}&sub_id=7`), { 'pixel.as_given': /^failed: Something other/ }],
  [
    'changes the path',
    changing(url => url.replace('/status?', '/%73tatus?')),
    { 'pixel.as_given': /^failed: The path/ },
  ],
  ['fires with HEAD', changing(String, { method: 'HEAD' }), { 'pixel.get': /^failed: 1 of 1 pixel used HEAD\.$/ }],
  ['fires with POST', changing(String, { method: 'POST' }), { 'pixel.get': /^failed: 1 of 1 pixel used POST\.$/ }],
  [
    'computes the token',
    async ({ lead_id, status_url }, event) =>
      fire(`${status_url}?token=${await leadToken({ ...own, lead_id }, usualTokenFormat)}&event=${event}`),
    { 'pixel.other_token': /^failed: .*computed/ },
  ],
  [
    'keeps the URL in a shared variable',
    (() => {
      let last = ''
      return async ({ lead_id, postback_url }, event) => {
        last = postback_url
        await new Promise(resolve => setTimeout(resolve, 50))
        await fire(`${last.replace(/lead\/[^/]+/, `lead/${lead_id}`)}&event=${event}`)
      }
    })(),
    { 'pixel.tokens_apart': /^failed: A pixel of one lead had the token of the other\.$/ },
  ],
  [
    'misspells an event',
    (lead, event) => once(lead, event.replace('approved', 'aproved')),
    {
      'event.approved': /^failed: .*did you mean `approved`/,
      'event.completed': /^not_seen: .*fix event\.approved first/,
    },
  ],
  [
    'sends nothing',
    () => {},
    { 'event.registration': /^failed: .*No report/, 'event.approved': /^not_seen: The application sent nothing/ },
  ],
  [
    'puts the API key in a URL',
    changing(url => `${url}&k=${api_key}`),
    { 'key.header_only': /^failed: The key was in the URL of 1 request\.$/ },
  ],
  [
    'sends the API key with a pixel',
    changing(String, { headers: { apikey: api_key } }),
    { 'key.header_only': /^passed: .*1 pixel\. Pixels don't need it/ },
  ],
]

const failures: readonly Row[] = [
  [
    'retries a report until it succeeds',
    insist,
    {
      'retry.500': /^passed: The report succeeded on attempt 3\.$/,
      'retry.503': /^passed: The report succeeded on attempt 3\.$/,
      'retry.reset': /^passed: The report succeeded on attempt 2\.$/,
      'retry.lost_reply': /^passed: The report succeeded on attempt 2\.$/,
    },
  ],
  [
    'sends each report once',
    once,
    {
      'repeat.harmless': /^passed: The service ignored/,
      'repeat.ignored': /^passed/,
      'retry.500': /^failed: The report did not succeed within .*, in 1 attempt\.$/,
      'retry.503': /^failed: The report did not succeed within .*, in 1 attempt\.$/,
      'retry.reset': /^failed: The report did not succeed within .*, in 1 attempt\.$/,
      'retry.lost_reply': /^failed: The report did not succeed within .*, in 1 attempt\.$/,
      'refused.token': /^passed: The report was sent 1 time,/,
      'refused.lead': /^passed: The report was sent 1 time,/,
    },
  ],
  [
    'has no timeout',
    (lead, event) => void once(lead, event),
    { 'retry.no_reply': /^failed: The report did not succeed/ },
  ],
  [
    'has a timeout',
    async ({ postback_url }, event) => {
      const url = `${postback_url}&event=${event}`
      const reply = await fire(url, { signal: AbortSignal.timeout(50) })
      if (!reply) await fire(url)
    },
    { 'retry.no_reply': /^passed: The report succeeded on attempt 2\.$/ },
  ],
  ['reports three times', times(3), { 'repeat.harmless': /^failed: The second report caused 3 requests\.$/ }],
  [
    'repeats ignored reports',
    async ({ postback_url }, event) => {
      for (let tries = 0; tries < 4; tries++) {
        const reply = await fire(`${postback_url}&event=${event}`)
        if ((await reply?.text())?.includes('received')) return
      }
    },
    { 'repeat.ignored': /^failed: The ignored event was sent again 3 times\.$/ },
  ],
  [
    'repeats refused reports',
    times(6),
    {
      'refused.token': /^failed: The report was sent 6 times and refused each time\.$/,
      'refused.lead': /^failed: The report was sent 6 times and refused each time\.$/,
    },
  ],
  [
    'stops after a refusal',
    (() => {
      let blocked = false
      return async ({ postback_url }, event) => {
        if (!blocked) blocked = (await fire(`${postback_url}&event=${event}`))?.status === 401
      }
    })(),
    { 'refused.lead': /^failed: .*another lead/ },
  ],
  [
    'checks the token itself',
    async (lead, event) => {
      const token = await leadToken({ lead_id: lead.lead_id, ...own }, usualTokenFormat)
      if (lead.postback_url.endsWith(`?token=${token}`)) await once(lead, event)
    },
    { 'refused.lead': /^passed: The application did not report the unknown lead/ },
  ],
]

/** Applications that report in a JSON request, as `--report-command` makes them. */
const calls: readonly Row[] = [
  [
    'follows redirects',
    byJson(event => ({ ...statusOf(event), redirect: 'follow' })),
    { 'refused.redirect': /^failed: .*sent its API key there/ },
  ],
  [
    'reports with POST',
    byJson(statusOf),
    {
      'json.patch': /^failed/,
      'json.body': /^passed/,
      'refused.redirect': /^passed: The redirect was not followed\.$/,
    },
  ],
  [
    'reports with PATCH',
    byJson(event => ({ ...statusOf(event), method: 'PATCH' })),
    { 'json.post': /^failed: The service accepted only POST, but the requests used PATCH\.$/, 'json.patch': /^passed/ },
  ],
  [
    'sends the amount as a string',
    sending({ status: 'approved', metadata: { amount: '5000' } }),
    { 'json.body': /^failed: metadata\.amount must be a number/ },
  ],
  [
    'sends a fraction of a month',
    sending({ status: 'approved', metadata: { term_months: 1.5 } }),
    { 'json.body': /^failed: metadata\.term_months must be an integer/ },
  ],
  ['sends an unknown status', sending({ status: 'issued' }), { 'json.body': /^failed: status must be one of/ }],
  ['sends no status', sending({}), { 'json.body': /^failed: status is required/ }],
  [
    'sends the id of another advertiser',
    sending({ status: 'approved', advertiser_id: demoAccount.advertisers[1]?.advertiser_id }),
    { 'json.body': /^failed: advertiser_id does not belong to the key/ },
  ],
  ['sends form data', sending('status=approved'), { 'json.body': /^failed: The body was not a JSON object/ }],
  [
    'sends JSON with a text content type',
    byJson(event => ({ ...statusOf(event), headers: { 'content-type': 'text/plain' } })),
    { 'json.body': /^failed: The content-type was not/ },
  ],
]

const patience = ['--patience', '0.4', '--quiet', '0.1', '--profile', 'prose', '--json']

/** Certifies an application that a test harness drives through a URL. */
async function findingsOf(application: TestAdvertiser, ids: readonly string[], byReport: boolean) {
  const staff = await listening(
    createServer(async (request, response) => {
      const { event, ...lead } = (await json(request)) as AdvertiserLead & { event: string }
      await application(lead, event)
      response.writeHead(204).end()
    }),
  )
  const report = byReport ? ['--report-command', staff] : []
  const { checks } = await certify('advertiser', '--postback', staff, ...report, ...patience, ...only(...ids))
  return Object.fromEntries(
    checks.map(({ id, verdict, seen, warning = '' }) => [id, `${verdict}: ${seen} ${warning}`.trim()]),
  )
}

it.each([...pixels, ...failures, ...calls])(
  'judges an application that %s',
  async (...[_title, application, findings]) => {
    const isCall = calls.some(([, each]) => each === application)
    const expected = Object.entries(findings).map(([id, seen]) => [id, expect.stringMatching(seen)])
    expect(await findingsOf(application, Object.keys(findings), isCall)).toEqual(Object.fromEntries(expected))
  },
)

it.each([
  ['a command that fails', 'exit 3', 'The command exited with code 3. No report of the event arrived.'],
  [
    "a command with the lead, the event and the application's variables",
    `echo "$POSTBACK_URL" | grep -q "^$STATUS_URL?token=" && echo "$STATUS_URL" | grep -q "/$LEAD_ID/status$" && test "$EVENT $TERM_MONTHS $LEAD_ADVERTISER_API_KEY" = "registration 24 ${api_key}" && test "$AMOUNT" -gt 0`,
    'No report of the event arrived.',
  ],
  [
    'a command that never finishes',
    'sleep 60',
    'The command did not finish within 0.3 s. No report of the event arrived.',
  ],
  [
    'a URL where nothing listens',
    'http://127.0.0.1:1',
    'The application did not respond at the URL of --postback. No report of the event arrived.',
  ],
])('drives an application with %s', async (_title, postback, seen) => {
  const flags = ['--postback', postback, '--command-timeout', '0.3', ...patience, ...only('event.registration')]
  expect((await certify('advertiser', ...flags)).checks).toMatchObject([{ verdict: 'failed', seen }])
})

it("reports the status with which the application's URL responds", async () => {
  const staff = await listening(createServer((_request, response) => response.writeHead(500).end()))
  const { checks } = await certify('advertiser', '--postback', staff, ...patience, ...only('event.registration'))
  expect(checks).toMatchObject([{ seen: 'The application responded with 500. No report of the event arrived.' }])
})

it.each([
  ['without a means to drive the application', [], 2, 'Pass --postback'],
  [
    'with a URL that callbacks may not go to',
    ['--postback', 'http://advertiser.example/report'],
    1,
    'advertiser.example',
  ],
])('does not start: %s', async (_title, flags, code, message) => {
  expect(await certify('advertiser', ...flags, ...patience)).toMatchObject({
    code,
    stderr: expect.stringContaining(message),
  })
})
