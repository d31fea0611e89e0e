import { createTestLeads } from '@lead-distribution/test-leads'
import { expect, it, onTestFinished } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'
import { traceSandbox } from './traced-sandbox.ts'
import type { EndedSpan } from './tracer.ts'

/** A server that records everything. */
async function traced() {
  const spans: EndedSpan[] = []
  const traces = traceSandbox({ sample: () => true, add: span => void spans.push(span), close: async () => undefined })
  const server = await startServer({ port: 0, logLevel: 'silent', traces })
  onTestFinished(() => server.close())
  return { server, spans }
}

const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

async function submit({ account }: SandboxServer, email: string) {
  const lead = createTestLeads(account()).distributed({ customer: { contact: { email: { address: email } } } })
  const { publisher, base_url } = account()
  const headers = {
    'content-type': 'application/json',
    apikey: publisher.api_key,
    traceparent: `00-${caller.trace}-${caller.span}-01`,
  }
  const response = await fetch(`${base_url}/lead`, { method: 'POST', headers, body: JSON.stringify(lead) })
  return (await response.json()) as { lead_id: string }
}

it("records a request in its caller's trace, and its transaction below it", async () => {
  const { server, spans } = await traced()
  await submit(server, 'ana.traced@example.com')
  const request = spans.find(({ kind }) => kind === 'server')
  expect(request).toMatchObject({
    traceId: caller.trace,
    parentId: caller.span,
    name: 'POST /api/v1/lead',
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/lead',
      'http.response.status_code': 200,
      'url.path': '/api/v1/lead',
      'lead_sandbox.operation': 'submitLead',
    },
  })
  const below = spans.filter(({ parentId }) => parentId === request?.spanId)
  expect(below.map(({ name }) => name)).toEqual(['storage transaction'])
})

it('records the callback that an event leads to, in a trace of its own', async () => {
  const { server, spans } = await traced()
  const { lead_id } = await submit(server, 'ana.callback@example.com')
  const tenant = `${server.url}/_sandbox/v1/tenants/demo`
  const lead = await (await fetch(`${tenant}/leads/${lead_id}`)).json()
  await fetch(`${lead.deliveries[0].postback_url}&event=approved`)
  await fetch(`${tenant}/callbacks/wait?lead_id=${lead_id}&timeout_ms=20000`)
  expect(spans.filter(({ name }) => name === 'callback')).toMatchObject([
    {
      kind: 'client',
      parentId: undefined,
      failed: false,
      attributes: {
        'server.address': '127.0.0.1',
        'http.response.status_code': 200,
        'lead_sandbox.lead_id': lead_id,
        'lead_sandbox.event': 'loan_issued',
      },
    },
  ])
})

it('records no key, no token and nothing of a person, whatever a path holds', async () => {
  const { server, spans } = await traced()
  await submit(server, 'ana.private@example.com')
  const { publisher } = server.account()
  await fetch(`${server.url}/api/v1/lead/ana.private@example.com/status?token=${publisher.api_key}&event=approved`)
  await fetch(`${server.url}/_sandbox/v1/tenants/ana.private`)
  const text = JSON.stringify(spans)
  expect(spans.filter(({ kind }) => kind === 'server').length).toBe(3)
  for (const secret of ['ana.private', publisher.api_key, 'token']) expect(text).not.toContain(secret)
})
