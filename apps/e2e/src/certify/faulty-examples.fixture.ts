import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'

/** A fault for a copy of an example: a text of one of its files, and what replaces it. */
export interface ExampleFault {
  /** The check that it must fail, and no other. */
  readonly check: string
  /** Below the `src` of the example. */
  readonly file: string
  /** Occurs just once. */
  readonly text: string
  readonly instead: string
}

/**
 * Copies an example with faults in it, to where it finds its packages and git ignores it; returns where its `src` is.
 * The copy is removed when it is disposed of. Throws where a text does not occur just once.
 */
export function injectFaults(name: 'publisher' | 'advertiser', faults: readonly ExampleFault[]) {
  const dist = join(root, `apps/example-${name}/dist`)
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'faulty-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    cpSync(join(root, `apps/example-${name}/src`), folder, { recursive: true })
    for (const { check, file, text, instead } of faults) {
      const path = join(folder, file)
      const parts = readFileSync(path, 'utf8').split(text)
      if (parts.length !== 2) throw new Error(`${file} does not hold once what the fault of ${check} replaces.`)
      writeFileSync(path, parts.join(instead))
    }
  } catch (error) {
    remove()
    throw error
  }
  return { source: folder, [Symbol.dispose]: remove }
}

/** Nine faults that integrations really have, each with the one check that finds it. */
export const publisherFaults: readonly ExampleFault[] = [
  {
    check: 'redirect.new',
    file: 'site.ts',
    text: "if (state === 'distributed' && redirect_url !== null) response",
    instead: "if (state === 'distributed' || state === 'new') response",
  },
  {
    check: 'error.422',
    file: 'send-application.ts',
    text: '    const { lead_id } = result',
    instead: `    if (result.outcome === 'rejected' && result.via === 'http_422') await publisher.submit(lead)
    const { lead_id } = result`,
  },
  {
    check: 'reply.unknown-reason',
    file: 'send-application.ts',
    text: "      case 'rejected':",
    instead: `      case 'rejected':
        if (result.rejection_reason === 'not_known_yet') throw new Error('There is no such reason.')`,
  },
  {
    check: 'reply.lost',
    file: 'send-application.ts',
    text: '  if (isOutcomeUnknown(error)) applications',
    instead: `  const { status, ms = 0 } = error.meta ?? {}
    const { lead } = applications.find(id) ?? {}
    if (status === null && ms < 5000 && lead) {
      lead.customer.contact.email.address = \`again-\${lead.customer.contact.email.address}\`
      void sending.publisher.submit(lead).catch(() => {})
    }
    if (isOutcomeUnknown(error)) applications`,
  },
  {
    check: 'callback.names',
    file: 'site.ts',
    text: `applications.keepEvent(event)\n      log(\`callback for lead \${event.lead_id}: \${event.event}\`)`,
    instead: 'if (event.event === event.rawEvent) applications.keepEvent(event)',
  },
  {
    check: 'callback.once',
    file: 'site.ts',
    text: '    isKnownLead: lead_id',
    instead: "    claims: { claim: () => 'claimed', confirm: () => {}, release: () => {} },\n    isKnownLead: lead_id",
  },
  {
    check: 'callback.once',
    file: 'application-store.ts',
    text: 'event text, primary key (lead_id, event));',
    instead: 'event text);',
  },
  {
    check: 'callback.order',
    file: 'application-store.ts',
    text: '      sql.insertEvent.run(lead_id,',
    instead: `      const order = ['registration', 'approved', 'completed']
      const before = order.indexOf(eventsOf(lead_id).at(-1) ?? '')
      if (order.includes(event) && order.indexOf(event) < before) return
      sql.insertEvent.run(lead_id,`,
  },
  {
    check: 'callback.unknown-lead',
    file: 'site.ts',
    text: '    handleUnknownLead: event => {',
    instead: "    handleUnknownLead: event => {\n      if (event) throw new Error('There is no such lead.')",
  },
  {
    check: 'forged.secret',
    file: 'site.ts',
    text: 'verify: { urlSecrets: callbackSecrets, ...(signingSecret && { signature: { secrets: [signingSecret] } }) },',
    instead: "verify: 'none',",
  },
]

/** Callbacks that are answered after the work, and not before it. */
export const slowCallbacks: ExampleFault = {
  check: 'callback.prompt',
  file: 'site.ts',
  text: '    handle: event => {',
  instead: `    handle: async event => {
      if (event.event === 'registration') await new Promise(resolve => setTimeout(resolve, 2_200))`,
}

/** The key in the query, where each log on the way keeps it. */
export const keyInQuery: ExampleFault = {
  check: 'key.header',
  file: 'server.ts',
  text: "  interpretation: 'formal',",
  instead: `  interpretation: 'formal',
  fetch: (url, init) => fetch(\`\${url}?apikey=\${process.env.LEAD_PUBLISHER_API_KEY}\`, init),`,
}

const baseUrl = "const baseUrl = required('LEAD_BASE_URL')\n"
const byFetch = (check: string, change: string): ExampleFault => ({
  check,
  file: 'server.ts',
  text: baseUrl,
  instead: `${baseUrl}{
  const send = globalThis.fetch
  globalThis.fetch = (async (url: string, init: { method: string; headers: Headers; body?: string }) => { ${change} }) as never
}
`,
})

/** The classic faults of an advertiser's application, each with the one check that it fails. */
export const advertiserFaults: readonly ExampleFault[] = [
  {
    check: 'pixel.as_given',
    file: 'outbox.ts',
    text: 'advertiser.fire(advertiser.parsePostbackUrl(postback_url),',
    // Takes the URL apart, and writes it anew.
    instead: `advertiser.fire(advertiser.parsePostbackUrl(\`\${postback_url.split('?')[0]}?\${new URLSearchParams(postback_url.split('?')[1])}\`),`,
  },
  {
    check: 'pixel.other_token',
    file: 'intake.ts',
    text: 'postback_url: url.expose()',
    instead: 'postback_url: url.expose().toLowerCase()',
  },
  byFetch('event.defaulted', "return send(url.replace('event=defaulted', 'event=default'), init as never)"),
  {
    check: 'repeat.ignored',
    file: 'outbox.ts',
    text: 'loans.reported(id, outcome)',
    instead: "if (outcome === 'ignored') loans.failed(id, 'unexpected')\n        else loans.reported(id, outcome)",
  },
  { check: 'json.post', file: 'server.ts', text: 'createAdvertiser({', instead: "createAdvertiser({ method: 'PATCH'," },
  byFetch(
    'json.body',
    `return send(url, { ...init, body: init.body?.replace(/"amount":(\\d+)/, '"amount":"$1"') } as never)`,
  ),
  byFetch(
    'retry.503',
    `const reply = await send(url, init as never)
    return reply.status === 503 ? Response.json({ lead_id: 'taken', event: 'any', status: 'received' }) : reply`,
  ),
  {
    check: 'retry.pauses',
    file: 'server.ts',
    text: 'timeoutMs })',
    instead: 'timeoutMs, maxRetries: 25, backOff: { minDelayMs: 0, maxDelayMs: 0 } })',
  },
  {
    check: 'retry.order',
    file: 'outbox.ts',
    text: 'stuck.has(lead_id) ||',
    instead: '',
  },
  byFetch(
    'key.header_only',
    "return send(init.method === 'GET' ? url : url + '?key=' + new Headers(init.headers).get('apikey'), init as never)",
  ),
]
