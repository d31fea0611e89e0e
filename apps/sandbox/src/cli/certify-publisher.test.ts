import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from '../listening.fixture.ts'
import { certify, only } from './certify.fixture.ts'

const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' })
/** Submits with curl the minimum that the specification's prose requires. */
const smallLead = {
  product_id: '$PRODUCT_ID',
  publisher_id: '$PUBLISHER_ID',
  customer: {
    personal_data: { first_name: 'Ana', last_name: 'Prueba' },
    contact: { email: { address: '$LEAD_EMAIL' } },
  },
  product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
  consents: { entries: [consent('terms'), consent('privacy_policy')] },
}

const smallestLead = `curl -sS "$LEAD_BASE_URL/lead" -H "apikey: $LEAD_PUBLISHER_API_KEY" -H 'content-type: application/json' -d @- <<END
${JSON.stringify(smallLead)}
END`

const secret = 'a-secret-of-the-callback-url-0123456789'

/** Pages of an application in Spanish, each with text unique to this customer. */
const pages = {
  new: '<h1>Gracias</h1> <p>Le avisaremos pronto.</p> <i>CUSTOMER</i>',
  rejected: '<h1>Lo sentimos</h1> <p>No podemos ofrecerle un préstamo.</p> <i>CUSTOMER</i>',
  checking: '<h1>Lo sentimos</h1> <p>No podemos decirle nada aún: comprobamos su solicitud.</p> <i>CUSTOMER</i>',
}

interface ApplicationPages {
  /** True to send the lead again after a lost reply. */
  readonly again: boolean
  /** The page shown after a lost reply. */
  readonly unknown: string
  /** The page shown for a rejection. */
  readonly all?: string
  /** The page shown for a new lead. */
  readonly open?: string
}

/** Returns the command of an application that submits a lead and prints a page. */
function applicationOf({ again, unknown, all = pages.rejected, open = pages.new }: ApplicationPages): string {
  const program = `
    const { LEAD_BASE_URL, LEAD_PUBLISHER_API_KEY, PRODUCT_ID, PUBLISHER_ID, LEAD_EMAIL } = process.env
    const values = { PRODUCT_ID, PUBLISHER_ID, LEAD_EMAIL }
    const body = JSON.stringify(${JSON.stringify(smallLead)}).replace(/[$]([A-Z_]+)/g, (_, name) => values[name])
    const headers = { apikey: LEAD_PUBLISHER_API_KEY, 'content-type': 'application/json' }
    const submit = () => fetch(LEAD_BASE_URL + '/lead', { method: 'POST', headers, body }).then(r => r.json()).catch(() => undefined)
    let result = await submit()
    const isLost = !result
    if (isLost && ${again}) result = await submit()
    const page = result?.redirect_url ?? (isLost ? ${JSON.stringify(unknown)} : result.status === 'rejected' ? ${JSON.stringify(all)} : ${JSON.stringify(open)})
    const letters = crypto.randomUUID().replace(/[^a-f]/g, '')
    console.log(page.replace('CUSTOMER', LEAD_EMAIL + ' ' + letters + ' ' + new Date().toISOString()))`
  return `"${process.execPath}" --input-type=module <<'END'\n${program}\nEND`
}

it.each([
  ['nothing to certify', [], 'Nothing to certify.'],
  ['an unknown check', ['--only', 'redirect.old'], 'Unknown check.'],
  ['an invalid callback URL', ['--callback-url', '/callbacks'], 'Pass an absolute URL'],
  ['callbacks to another machine', ['--callback-url', 'https://qa.example/cb'], '--allow-callback-host qa.example'],
  ['callbacks to a forbidden address', ['--callback-url', 'http://169.254.169.254/'], 'no flag allows it'],
  ['no time limit for a command', ['--submit-command', 'true', '--command-timeout', '0'], 'Pass a number of seconds'],
])('treats %s as wrong usage', async (_what, args, message) => {
  const { code, stdout, stderr } = await certify('publisher', ...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
})

it('fails if no check had anything to examine, and reports what is missing', async () => {
  const checks = only('redirect.new', 'callback.once')
  const seen = await certify('publisher', '--submit-command', 'true', '--profile', 'formal', '--json', ...checks)
  expect([seen.code, seen.stderr]).toEqual([1, expect.stringContaining('No check passed')])
  expect(JSON.parse(seen.stdout)).toMatchObject({
    report: 1,
    not_seen: 2,
    checks: [{ seen: expect.stringMatching('lead.accepted') }, { seen: expect.stringMatching('--callback-url') }],
  })
})

it('fails on an unseen check only with --require-all', async () => {
  const args = ['--submit-command', smallestLead, '--profile', 'prose', ...only('lead.accepted', 'callback.once')]
  expect((await certify('publisher', ...args)).code).toBe(0)
  const { code, stderr } = await certify('publisher', '--require-all', ...args)
  expect([code, stderr]).toEqual([1, expect.stringContaining('Checks not seen: 1.')])
})

/** Certifies only a callback receiver; resolves to the exit code and the findings. */
async function certifyReceiver(url: string, ...ids: string[]) {
  const args = ['--callback-url', url, '--profile', 'prose', '--json', ...only(...ids)]
  const { code, checks } = await certify('publisher', ...args)
  return { code, findings: checks.map(({ verdict, seen }) => `${verdict}: ${seen}`) }
}

it('certifies a program that only receives callbacks', async () => {
  const origin = await listening(createServer((_request, response) => response.writeHead(200).end()))
  const ids = ['callback.answered', 'callback.unknown-lead', 'forged.secret', 'forged.method']
  expect(await certifyReceiver(`${origin}/callbacks`, ...ids)).toEqual({
    code: 1,
    findings: [
      'passed: All 6 callbacks got a 2xx.',
      'passed: The response was 200.',
      'failed: The callback URL contains no secret: anyone who guesses it can forge callbacks.',
      'failed: A callback by POST got a 200.',
    ],
  })
})

it.each([
  ['127.1', 'callbacks'],
  ['LOCALHOST', 'x/../callbacks'],
  ['0x7f.1', '%63allbacks/./%7E'],
])('certifies a program whose callback URL is not normalized: at %s/%s', async (host, path) => {
  const { pathname } = new URL(`http://${host}/${path}/${secret}`)
  const server = createServer(({ method, url = '' }, response) => {
    const isRight = new URL(url, 'http://localhost').pathname === pathname
    response.writeHead(isRight ? (method === 'GET' ? 200 : 405) : 404).end()
  })
  await once(server.listen(0, 'localhost'), 'listening')
  onTestFinished(() => void server.close())
  const url = `HTTP://${host}:${(server.address() as AddressInfo).port}/${path}/${secret}`
  expect(await certifyReceiver(url, 'callback.answered', 'forged.secret', 'forged.method')).toEqual({
    code: 0,
    findings: [
      'passed: All 6 callbacks got a 2xx.',
      'passed: The responses were 404, and none was counted.',
      'passed: The responses were 405, and none was counted.',
    ],
  })
})

it.each([
  ['retries and shows the rejection', { again: true, unknown: pages.rejected }, 'failed', /sent again, .*own first/],
  ['shows a rejection', { again: false, unknown: pages.rejected }, 'failed', /^The customer saw a rejection page/],
  ['retries and says that it is checking', { again: true, unknown: pages.checking }, 'passed', /twice/],
  ['says that it is checking', { again: false, unknown: pages.checking }, 'passed', /once/],
  [
    'has one page for both rejected and pending applications',
    { again: true, unknown: pages.new, all: pages.new },
    'passed',
    /twice/,
  ],
  [
    'prints a URL that identifies the page',
    { again: true, unknown: '303 /rechazada', all: '303 /rechazada', open: '303 /gracias' },
    'failed',
    /own first/,
  ],
] as const)('evaluates an application in Spanish that, after a lost reply, %s', async (_what, how, verdict, seen) => {
  const args = ['--submit-command', applicationOf(how), '--profile', 'prose', '--json']
  const { checks } = await certify('publisher', ...args, ...only('reply.lost', 'reply.garbled'))
  const finding = expect.objectContaining({ verdict, seen: expect.stringMatching(seen) })
  expect(checks).toEqual([finding, finding])
})

it('certifies a script that prints the reply, and reports what the other interpretation would refuse', async () => {
  const ids = only('lead.accepted', 'lead.portable', 'redirect.distributed')
  const { code, stdout, checks } = await certify('publisher', '--submit-command', smallestLead, '--json', ...ids)
  expect(code).toBe(1)
  expect(checks.map(({ profile, verdict, seen }) => `${profile} ${verdict}: ${seen}`)).toEqual([
    'prose passed: The service accepted the lead.',
    expect.stringMatching(
      /^prose failed: gender is optional here; with required, the service would respond 400 validation_error\.$/,
    ),
    'prose passed: The customer was redirected.',
    expect.stringMatching(/^formal failed: The service responded with 400 validation_error; .*gender is required/),
    expect.stringMatching(/^formal failed: gender is required here/),
    expect.stringMatching(/^formal not_seen: .*lead\.accepted/),
  ])
  expect(stdout).not.toMatch(/sandbox_pub|@/)
})
