import { createLeadSandbox, type LeadSandbox } from '@lead-distribution/msw'
import { getResponse, type HttpHandler, HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { inTurns, median, ratePerSecond, ratioTo } from './load.ts'
import { usualLead } from './usual-lead.ts'

const rounds = 48
const warmUp = 6
const requests = 64
const atOnce = 32
const tenants = 100

/** Sends a request to msw handlers. */
type Send = (handlers: HttpHandler[], request: Request) => Promise<Response | undefined>

/**
 * Measures `POST /lead` through msw handlers, each with a new address, against a handler that returns a constant of the
 * same size, and one that reads the body first. Runs once with `fetch`, as in an application, and once without msw's
 * interceptors, which leaves little but the handlers. The rounds are short because msw retains something of each
 * request and slows down.
 */
export async function measureMocked(): Promise<void> {
  const sandbox = await createLeadSandbox()
  const server = setupServer()
  server.listen({ onUnhandledFrame: 'error' })
  try {
    await compare('by fetch', sandbox, async (handlers, request) => {
      if (server.listHandlers()[0] !== handlers[0]) server.resetHandlers(...handlers)
      return fetch(request)
    })
    await compare('without interceptors', sandbox, getResponse)
    await measureTenants(sandbox)
  } finally {
    server.close()
    await sandbox.close()
  }
}

async function compare(name: string, sandbox: LeadSandbox, send: Send): Promise<void> {
  const request = requestMaker(sandbox)
  const label = name.replaceAll(' ', '-')
  const constant = await (await send(sandbox.handlers, request(`${label}@example.com`)))?.json()
  const path = `${sandbox.account.base_url}/lead`
  const ways: Readonly<Record<string, HttpHandler[]>> = {
    bare: [http.post(path, () => HttpResponse.json(constant))],
    parsing: [http.post(path, async ({ request }) => HttpResponse.json((await request.json()) && constant))],
    sandbox: sandbox.handlers,
  }
  const rates = await inTurns(ways, { rounds, warmUp }, (handlers, turn) =>
    ratePerSecond(requests, atOnce, async index => {
      const asked = request(`${label}-${turn}-${index}@example.com`)
      const body = await (await send(handlers, asked))?.json()
      if (body?.status !== constant.status) throw new Error(`msw responded with the status ${body?.status} to a lead.`)
    }),
  )
  console.log(`\nPOST /lead through msw ${name}, ${atOnce} at once, ${rounds} rounds of ${requests} requests, medians`)
  for (const [way, measured] of rates) {
    const ratio = ratioTo(rates, 'bare', way, rate => rate)
    console.log(`  ${way.padEnd(8)} ratio ${ratio}   ${median(measured).toFixed(0)} requests/s`)
  }
}

function requestMaker({ account }: LeadSandbox): (address: string) => Request {
  const { base_url, publisher, products } = account
  const ids = { product_id: products[0]?.product_id, publisher_id: publisher.publisher_id }
  const headers = { apikey: publisher.api_key, 'content-type': 'application/json' }
  return address => {
    const body = JSON.stringify({ ...usualLead(address), ...ids })
    return new Request(`${base_url}/lead`, { method: 'POST', headers, body })
  }
}

/** Measures the cost of a separate tenant for each test. */
async function measureTenants(sandbox: LeadSandbox): Promise<void> {
  const times: number[] = []
  for (let index = 0; index < tenants; index++) {
    const start = performance.now()
    const tenant = await sandbox.createTenant()
    await tenant.delete()
    times.push(performance.now() - start)
  }
  console.log(
    `\nOne isolated tenant per test, created and deleted, median of ${tenants}: ${median(times).toFixed(2)} ms`,
  )
}
