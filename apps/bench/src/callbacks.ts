import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basePath, leadToken, usualTokenFormat } from '@lead-distribution/contract'
import { demoAccount } from '@lead-distribution/simulator'
import { median, runLoad } from './load.ts'
import { servers } from './servers.ts'
import type { Target } from './target.ts'
import { usualLead } from './usual-lead.ts'

const toDead = 100_000
const connections = 32
const rounds = 5
const requests = 10_000
const mebibyte = 1_048_576
const control = '/_sandbox/v1/tenants/demo'
const agent = new Agent({ keepAlive: true, maxSockets: connections })

/** Callbacks a second, alone and beside a receiver that hangs; and what 100,000 due ones to a dead receiver cost. */
export async function measureCallbacks(): Promise<void> {
  console.log(`\nCallbacks that fall due at once, to a receiver on this machine`)
  await measureRate(20_000, 0)
  // As many hang as have a slot: more of them would measure the time-out.
  await measureRate(2_000, 50)
  await measureDeadReceiver()
}

/** All fall due at one instant, by an advance of the clock: how long until the last one arrived that is answered. */
async function measureRate(delivered: number, hangsOnEvery: number): Promise<void> {
  await using receiver = await openReceiver()
  const sandbox = await servers.sandbox()
  try {
    await makeCallbacks(sandbox, receiver, delivered)
    receiver.answer = nth => (hangsOnEvery > 0 && nth % hangsOnEvery === 0 ? undefined : 200)
    receiver.answered = 0
    const wanted = hangsOnEvery > 0 ? delivered - delivered / hangsOnEvery : delivered
    const start = performance.now()
    const advancing = call(sandbox, 'POST', `${control}/clock/advance`, { by: 'PT1H' })
    advancing.catch(() => undefined)
    await receiver.reaches(wanted)
    const seconds = (performance.now() - start) / 1000
    const name = hangsOnEvery > 0 ? `hangs on one in ${hangsOnEvery}` : 'answers all'
    console.log(
      `  ${name.padEnd(18)} ${(wanted / seconds).toFixed(0)} callbacks/s, ${wanted} in ${seconds.toFixed(1)} s`,
    )
    if (hangsOnEvery === 0) await advancing
  } finally {
    await sandbox.stop()
  }
}

/** `POST /lead` before and after callbacks fall due whose receiver refuses connections, each round beside a bare server. */
async function measureDeadReceiver(): Promise<void> {
  const receiver = await openReceiver()
  const sandbox = await servers.sandbox()
  const bare = await servers.bare()
  const ratioOf = async (label: string) => {
    const load = { connections, requests, label }
    return (
      (await runLoad({ ...load, port: sandbox.port })).perSecond /
      (await runLoad({ ...load, port: bare.port })).perSecond
    )
  }
  const ratios = async (label: string) => {
    const measured: number[] = []
    for (let round = 0; round < rounds; round++) measured.push(await ratioOf(`${label}-${round}`))
    return median(measured)
  }
  try {
    await makeCallbacks(sandbox, receiver, toDead)
    await receiver[Symbol.asyncDispose]()
    const [before, memoryBefore] = [await ratios('before'), sandbox.memory()]
    call(sandbox, 'POST', `${control}/clock/advance`, { by: 'PT1H' }).catch(() => undefined)
    const [after, memoryAfter] = [await ratios('after'), sandbox.memory()]
    console.log(`\nPOST /lead with ${toDead.toLocaleString('en')} due callbacks to a receiver that is gone`)
    console.log(
      `  rate     ${(after / before).toFixed(2)} of that without (ratio to bare ${before.toFixed(2)}, then ${after.toFixed(2)})`,
    )
    console.log(
      `  memory   ${((memoryAfter - memoryBefore) / mebibyte).toFixed(0)} MiB more, ${((2 * rounds * requests) / 1000).toFixed(0)}k leads among them`,
    )
  } finally {
    await bare.stop()
    await sandbox.stop()
  }
}

/** Makes callbacks that were tried once and wait for an hour of a clock that is frozen. */
async function makeCallbacks(sandbox: Target, receiver: Receiver, count: number): Promise<void> {
  const settings = { callback_retries: ['PT1H', 'PT1H'] }
  await call(sandbox, 'PATCH', control, { callback_url: receiver.url, settings })
  await call(sandbox, 'POST', `${control}/clock`, { freeze: true })
  receiver.answer = () => 500
  let next = 0
  const worker = async () => {
    for (let nth = next++; nth < count; nth = next++) {
      const lead = await call(sandbox, 'POST', `${basePath}/lead`, usualLead(`callback-${nth}@example.com`))
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

/** A receiver in this process. */
interface Receiver extends AsyncDisposable {
  readonly url: string
  /** The status for the nth callback; undefined where it hangs. */
  answer: (nth: number) => number | undefined
  /** How many callbacks it has answered. */
  answered: number
  /** Resolves once it has answered so many. */
  reaches(count: number): Promise<void>
}

async function openReceiver(): Promise<Receiver> {
  let got = 0
  let goal: { count: number; resolve: () => void } | undefined
  const server = createServer((_, response) => {
    const status = receiver.answer(++got)
    if (status === undefined) return
    response.writeHead(status, { 'content-length': 0 }).end()
    receiver.answered += 1
    if (receiver.answered === goal?.count) goal.resolve()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    answer: () => 200,
    answered: 0,
    reaches: count =>
      new Promise(resolve => {
        goal = { count, resolve }
        if (receiver.answered >= count) resolve()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

/** Calls a sandbox, and reads what it answers. */
async function call({ port }: Target, method: string, path: string, body?: object) {
  const headers = { apikey: demoAccount.publisher_key, 'content-type': 'application/json' }
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent,
    headers: path.includes('/status') ? {} : headers,
  })
  sent.end(body && JSON.stringify(body))
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  if (response.statusCode !== 200)
    throw new Error(`${method} ${path.split('?')[0]} was answered ${response.statusCode}.`)
  return JSON.parse(text)
}
