import { basePath, leadToken, usualTokenFormat } from '@lead-distribution/contract'
import { demoAccount } from '@lead-distribution/simulator'
import { inTurns, ratioTo, runLoad } from './load.ts'
import { openReceiver } from './receiver.ts'
import { servers } from './servers.ts'
import type { Target } from './target.ts'
import { usualLead } from './usual-lead.ts'

const toDead = 50_000
const connections = 32
const rounds = 5
const requests = 5_000
const mebibyte = 1_048_576
const control = '/_sandbox/v1/tenants/demo'

/**
 * Measures callbacks per second, with and without a receiver that hangs, and the cost of 50,000 due callbacks to a dead
 * receiver.
 */
export async function measureCallbacks(): Promise<void> {
  console.log(`\nCallbacks that fall due together, to a receiver on this machine`)
  await measureRate(20_000)
  // One hanging callback for each delivery slot. With more, this would measure the timeout.
  await measureRate(2_000, 50)
  await measureDeadReceiver()
}

async function measureRate(delivered: number, hangsOnEvery?: number): Promise<void> {
  await using sandbox = await servers.sandbox()
  const { wanted, seconds, perSecond } = await callbackRate([sandbox], { delivered, hangsOnEvery, label: 'callback' })
  const name = hangsOnEvery ? `hangs on 1 in ${hangsOnEvery}` : 'responds to all'
  console.log(`  ${name.padEnd(18)} ${perSecond.toFixed(0)} callbacks/s, ${wanted} in ${seconds.toFixed(1)} s`)
}

/** The callbacks of a measurement. */
interface Callbacks {
  readonly delivered: number
  readonly hangsOnEvery?: number | undefined
  /** Keeps the leads' email addresses apart from those of other measurements. */
  readonly label: string
}

/**
 * Makes all callbacks fall due together by advancing the clock through the first process, and measures the time until
 * the last delivery.
 */
export async function callbackRate(
  processes: readonly Target[],
  { delivered, hangsOnEvery = 0, label }: Callbacks,
): Promise<{ wanted: number; seconds: number; perSecond: number }> {
  const [first] = processes
  if (!first) throw new Error('Pass at least one process.')
  await using receiver = await openCountingReceiver()
  await makeCallbacks(first, receiver, delivered, label)
  receiver.statusOf = nth => (hangsOnEvery > 0 && nth % hangsOnEvery === 0 ? undefined : 200)
  receiver.responses = 0
  const wanted = hangsOnEvery > 0 ? delivered - delivered / hangsOnEvery : delivered
  const start = performance.now()
  const advancing = call(first, 'POST', `${control}/clock/advance`, { by: 'PT1H' })
  advancing.catch(() => undefined)
  await receiver.reaches(wanted)
  const seconds = (performance.now() - start) / 1000
  if (hangsOnEvery === 0) await advancing
  return { wanted, seconds, perSecond: wanted / seconds }
}

/**
 * Measures `POST /lead` against a bare server, before and after callbacks fall due to a receiver that refuses
 * connections.
 */
async function measureDeadReceiver(): Promise<void> {
  const receiver = await openCountingReceiver()
  await using sandbox = await servers.sandbox()
  await using bare = await servers.bare()
  const measure = async (when: string) => {
    const results = await inTurns({ sandbox, bare }, { rounds, warmUp: 0 }, ({ port }, turn) =>
      runLoad({ port, connections, requests, label: `${when}-${turn}` }),
    )
    const ratio = Number(ratioTo(results, 'bare', 'sandbox', ({ perSecond }) => perSecond))
    return { ratio, mib: sandbox.memory() / mebibyte }
  }
  await makeCallbacks(sandbox, receiver, toDead, 'callback')
  await receiver[Symbol.asyncDispose]()
  const before = await measure('before')
  call(sandbox, 'POST', `${control}/clock/advance`, { by: 'PT1H' }).catch(() => undefined)
  const after = await measure('after')
  console.log(`\nPOST /lead with ${toDead.toLocaleString('en')} due callbacks to a receiver that is down`)
  console.log(
    `  rate     ${(after.ratio / before.ratio).toFixed(2)} of the rate without them (ratio to bare ${before.ratio}, then ${after.ratio})`,
  )
  console.log(
    `  memory   ${(after.mib - before.mib).toFixed(0)} MiB more, including ${((2 * rounds * requests) / 1000).toFixed(0)}k leads`,
  )
}

/** Creates callbacks that failed once and wait for a retry in an hour, on a frozen clock. */
async function makeCallbacks(sandbox: Target, receiver: Receiver, count: number, label: string): Promise<void> {
  const settings = { callback_retries: ['PT1H', 'PT1H'] }
  await call(sandbox, 'PATCH', control, { callback_url: receiver.url, settings })
  await call(sandbox, 'POST', `${control}/clock`, { freeze: true })
  receiver.statusOf = () => 500
  let next = 0
  const worker = async () => {
    for (let nth = next++; nth < count; nth = next++) {
      const lead = await call(sandbox, 'POST', `${basePath}/lead`, usualLead(`${label}-${nth}@example.com`))
      const advertiser_id = lead.redirect_url.split('/').at(-1)
      const advertiser = demoAccount.advertisers.find(each => each.advertiser_id === advertiser_id)
      if (!advertiser) throw new Error('The lead was not distributed.')
      const token = await leadToken({ ...advertiser, lead_id: lead.lead_id }, usualTokenFormat)
      await call(sandbox, 'GET', `${basePath}/lead/${lead.lead_id}/status?token=${token}&event=approved`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await receiver.reaches(count)
}

type Receiver = Awaited<ReturnType<typeof openCountingReceiver>>

/** Opens a receiver that counts its responses. */
async function openCountingReceiver() {
  let got = 0
  let goal: { count: number; resolve: () => void } | undefined
  const state = {
    /** Returns the status for the nth callback; undefined to hang. */
    statusOf: (_nth: number): number | undefined => 200,
    responses: 0,
    /** Resolves after this many responses. */
    reaches: (count: number) =>
      new Promise<void>(resolve => {
        goal = { count, resolve }
        if (state.responses >= count) resolve()
      }),
  }
  const receiver = await openReceiver(() => {
    const status = state.statusOf(++got)
    if (status === undefined) return undefined
    state.responses += 1
    if (state.responses === goal?.count) goal.resolve()
    return status
  })
  return Object.assign(state, receiver)
}

/** Sends a request to a sandbox and returns the JSON of its response. */
async function call({ port }: Target, method: string, path: string, body?: object) {
  const headers = { apikey: demoAccount.publisher_key, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: path.includes('/status') ? {} : headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.status !== 200) throw new Error(`${method} ${path.split('?')[0]} got ${response.status}.`)
  return response.json()
}
