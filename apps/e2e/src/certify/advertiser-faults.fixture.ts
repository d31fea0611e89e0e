import type { ExampleFault } from './faulty-example.fixture.ts'

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
    instead: 'timeoutMs, maxRetries: 25, backOff: { firstMs: 0, mostMs: 0 } })',
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
