import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'

/** A fault for a copy of an example: a text in its source and the replacement. */
export interface ExampleFault {
  /** The only check that must fail. */
  readonly check: string
  /** Occurs exactly once. */
  readonly text: string
  readonly instead: string
}

/**
 * Copies an example with injected faults to a folder that git ignores and where it finds its packages. The copy is
 * removed on disposal. Throws if a text does not occur exactly once.
 */
export function injectFaults(name: 'publisher' | 'advertiser', faults: readonly ExampleFault[]) {
  const example = join(root, `apps/example-${name}`)
  let source = readFileSync(join(example, 'src/server.ts'), 'utf8')
  for (const { check, text, instead } of faults) {
    const parts = source.split(text)
    if (parts.length !== 2)
      throw new Error(`The text that the fault for ${check} replaces must occur exactly once in the example.`)
    source = parts.join(instead)
  }
  mkdirSync(join(example, 'dist'), { recursive: true })
  const folder = mkdtempSync(join(example, 'dist/faulty-'))
  const file = join(folder, 'server.ts')
  writeFileSync(file, source)
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

const handle = '  handle: ({ lead_id, event, rawEvent }) => {\n'
const eventName = "    const name = event === 'unrecognized' ? rawEvent : event\n"

/** Nine faults from real integrations, each with the one check that finds it. */
export const publisherFaults: readonly ExampleFault[] = [
  {
    check: 'redirect.new',
    text: "case 'new': // no advertiser has it yet",
    instead: "case 'new': return { text: '', redirect_url: String(result.redirect_url) as RedirectUrl }",
  },
  {
    check: 'error.422',
    text: '    application.state = result.outcome\n',
    instead: `    application.state = result.outcome
    if (result.outcome === 'rejected' && result.via === 'http_422') await publisher.submit(lead)\n`,
  },
  {
    check: 'reply.unknown-reason',
    text: "      case 'rejected':\n",
    instead: `      case 'rejected':
        if (result.rejection_reason === 'not_known_yet') throw new Error('There is no such reason.')\n`,
  },
  {
    check: 'reply.lost',
    text: '        application.mayExist = true\n',
    instead: `        lead.customer.contact.email.address = \`again-\${lead.customer.contact.email.address}\`
        await publisher.submit(lead)\n`,
  },
  {
    check: 'callback.names',
    text: eventName,
    instead: '    if (event !== rawEvent) return\n    const name = event\n',
  },
  {
    check: 'callback.once',
    text: '  // Called once for each event of a lead.\n',
    instead: "  claims: { claim: () => 'claimed', confirm: () => {}, release: () => {} },\n",
  },
  {
    check: 'callback.order',
    text: '    events.set(lead_id,',
    instead: `    const order = ['registration', 'approved', 'completed']
    const before = order.indexOf(events.get(lead_id)?.at(-1) ?? '')
    if (order.includes(name) && order.indexOf(name) < before) return
    events.set(lead_id,`,
  },
  {
    check: 'callback.unknown-lead',
    text: handle,
    instead: `${handle}    if (!applications.values().some(each => each.lead_id === lead_id)) throw new Error('There is no such lead.')\n`,
  },
  {
    check: 'forged.secret',
    text: `  verify: {
    urlSecrets: CALLBACK_SECRETS.split(','), // several during a rotation
    ...(CALLBACK_SIGNING_SECRET && { signature: { secrets: [CALLBACK_SIGNING_SECRET] } }),
  },`,
    instead: "  verify: 'none',",
  },
]

/** Responds to callbacks after the work instead of before it. */
export const slowCallbacks: ExampleFault = {
  check: 'callback.prompt',
  text: handle,
  instead: `${handle.replace('({', 'async ({')}    if (event === 'registration') await new Promise(resolve => setTimeout(resolve, 2_200))\n`,
}

/** Sends the key in the query, where every log on the way records it. */
export const keyInQuery: ExampleFault = {
  check: 'key.header',
  text: 'createPublisher()',
  instead:
    "createPublisher({ fetch: (url, init) => fetch(url + '?apikey=' + process.env.LEAD_PUBLISHER_API_KEY, init) })",
}

/** Does not verify signatures. */
export const unverified: ExampleFault = {
  check: 'forged.signature',
  text: '    ...(CALLBACK_SIGNING_SECRET && { signature: { secrets: [CALLBACK_SIGNING_SECRET] } }),\n',
  instead: '',
}

const beginning = "const { PORT = '4030' } = process.env\n"
const byFetch = (check: string, change: string): ExampleFault => ({
  check,
  text: beginning,
  instead: `${beginning}{
  const send = globalThis.fetch
  globalThis.fetch = (async (url: string, init: { method: string; headers: Headers; body?: string }) => { ${change} }) as never
}
`,
})

/** The classic faults of an advertiser's application, each with the one check that finds it. */
export const advertiserFaults: readonly ExampleFault[] = [
  {
    check: 'pixel.as_given',
    text: 'advertiser.fire(url,',
    // Parses the URL and writes it again.
    instead: `advertiser.fire(
      advertiser.parsePostbackUrl(\`\${url.expose().split('?')[0]}?\${new URLSearchParams(url.expose().split('?')[1])}\`),`,
  },
  {
    check: 'pixel.other_token',
    text: 'advertiser.parsePostbackUrl(postback_url)',
    instead: 'advertiser.parsePostbackUrl(postback_url.toLowerCase())',
  },
  byFetch('event.defaulted', "return send(url.replace('event=defaulted', 'event=default'), init as never)"),
  {
    check: 'repeat.ignored',
    text: '    loan.reports.set(event, result)\n',
    instead: "    if (result === 'ignored') void send(loan, event)\n    loan.reports.set(event, result)\n",
  },
  { check: 'json.post', text: 'createAdvertiser({', instead: "createAdvertiser({ method: 'PATCH'," },
  byFetch(
    'json.body',
    `return send(url, { ...init, body: init.body?.replace(/"amount":(\\d+)/, '"amount":"$1"') } as never)`,
  ),
  byFetch(
    'retry.503',
    `const reply = await send(url, init as never)
    return reply.status === 503 ? Response.json({ lead_id: 'taken', event: 'any', status: 'received' }) : reply`,
  ),
  byFetch(
    'retry.pauses',
    `for (let tries = 1; ; tries++) {
      const reply = await send(url, init as never)
      if (reply.status !== 502 || tries === 25) return reply
    }`,
  ),
  {
    check: 'retry.order',
    text: 'loan.queue = loan.queue.then(',
    instead: 'void Promise.resolve().then(',
  },
  byFetch(
    'key.header_only',
    "return send(init.method === 'GET' ? url : url + '?key=' + new Headers(init.headers).get('apikey'), init as never)",
  ),
]
