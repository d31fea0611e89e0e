import { setTimeout } from 'node:timers/promises'
import { callbackSignatureHeaders, callbackUrl } from '@lead-distribution/contract'
import { ControlError, type SandboxEvent, type TenantControl } from '@lead-distribution/control-client/core'
import type { ControlReply, HttpEgress } from '@lead-distribution/simulator'
import { controlBounds } from '@lead-distribution/simulator/paths'
import type { Command } from 'commander'
import { messageOf } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { line, paint, paintStatus, shortTime } from './printing.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { callbackHostFlag } from './server-flags.ts'
import { stopSignal } from './stop-signal.ts'

interface Flags {
  readonly forwardTo: string
  readonly allowCallbackHost: readonly string[]
}

type Entry = ControlReply<'showInbox'>['callbacks'][number]

/** The result of a forwarded delivery: the receiver's status, or why there is none. */
interface Forwarded {
  readonly at: string
  readonly lead_id: string
  readonly event: string
  readonly url: string
  readonly status?: number | undefined
  readonly error?: string | undefined
  /** Milliseconds. */
  readonly ms: number
}

/** `lead-sandbox listen`: forwards the callbacks of a sandbox, on whatever machine, to a receiver on this one. */
export function describeListen(command: Command): void {
  command
    .requiredOption('--forward-to <url>', 'your receiver, such as http://localhost:3000/callback')
    .addOption(callbackHostFlag('also allow forwarding to this host'))
    .addHelpText(
      'after',
      `
While it runs, the callbacks of the tenant go to the sandbox's own inbox, and from there over the connection that this
command opened to your receiver; on Ctrl-C the tenant's callback URL is restored. Your receiver's answer is printed. It
decides nothing: the inbox has taken the callback already, so a failure is not retried. To see retries, give your receiver
to the sandbox itself, by lead-sandbox tenants change --callback-url URL, or make the inbox fail: lead-sandbox inbox fail 503.`,
    )
  sandboxVerb<Flags, []>(
    command,
    [
      'listen --forward-to http://localhost:3000/callback',
      'listen --forward-to http://localhost:3000/callback --sandbox https://qa.example --tenant checkout',
    ],
    listen,
  )
}

async function listen(session: Session, { forwardTo, allowCallbackHost }: Flags): Promise<void> {
  const { createGuardedEgress } = await import('@lead-distribution/simulator')
  await checkTarget(forwardTo, allowCallbackHost)
  const { createNodeDialer } = await import('../dialer/node-dialer.ts')
  const dialer = createNodeDialer()
  const stop = new AbortController()
  void stopSignal(false).then(() => stop.abort())
  try {
    const egress = createGuardedEgress(dialer, () => allowCallbackHost)
    const { callback_secret, callback_url } = (await session.tenant.show()).publisher
    await forwardUntil(stop.signal, session, callback_url, forwarderTo(forwardTo, callback_secret, egress))
  } finally {
    dialer.close()
  }
}

/** Refuses a receiver that callbacks must not go to, or one on another machine that no flag names. */
async function checkTarget(forwardTo: string, allowed: readonly string[]): Promise<void> {
  const { canonicalHost, isLoopback, refuseCallbackUrl } = await import('@lead-distribution/simulator')
  const host = URL.canParse(forwardTo) ? (canonicalHost(new URL(forwardTo).hostname) ?? '') : ''
  const refused = refuseCallbackUrl(forwardTo, [host])
  if (refused !== undefined) throw new CommandError(`--forward-to ${refused}.`, exitCodes.usage)
  if (isLoopback(host) || allowed.includes(host)) return
  const hint = `add --allow-callback-host ${host} if you want that`
  throw new CommandError(`--forward-to names ${host}, which is not this machine: ${hint}.`, exitCodes.usage)
}

type Forward = (entry: Entry) => Promise<Forwarded>

/** The number of times a broken stream is reopened, and the delay in milliseconds. */
const reconnects = { times: 30, pauseMs: 1_000 }

/** Forwards all that the tenant's inbox gets until the signal, and gives the tenant its callback URL back, whatever happens. */
async function forwardUntil(signal: AbortSignal, session: Session, before: string, forward: Forward): Promise<void> {
  const { tenant, json, print } = session
  let known = await newestNumber(tenant)
  let inbox: string | undefined

  /** From now on callbacks go to the inbox; a sandbox that was started again meanwhile has its first URL again. */
  async function toInbox(): Promise<void> {
    const { publisher } = await tenant.update({ callback_url: null })
    if (inbox === undefined && !json)
      console.log(`Ready. Forwarding the callbacks of ${tenant.name}. Stop with Ctrl-C.`)
    inbox = publisher.callback_url
  }

  /** The stream says when to look, the inbox what is there. */
  async function take(event: SandboxEvent): Promise<void> {
    if (event.type === 'ready' || event.type === 'reset') await toInbox()
    else if (event.type === 'tenant' && event.change === 'restored') known = await newestNumber(tenant)
    else if (event.type !== 'callback') return
    for (const entry of await entriesAfter(tenant, known)) {
      if (signal.aborted) return
      print(await forward(entry), forwardedLine)
      known = numberOf(entry)
    }
  }

  try {
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const event of tenant.events({ signal })) {
          failures = 0
          await take(event)
        }
      } catch (error) {
        if (signal.aborted) return
        const isLost = error instanceof ControlError && error.status === 0 && inbox !== undefined
        if (!isLost || ++failures > reconnects.times) throw error
      }
      await setTimeout(reconnects.pauseMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    if (inbox !== undefined && before !== inbox) await restoreUrl(tenant, before, inbox)
  }
}

/** Gives a tenant its callback URL back, unless somebody changed it meanwhile, or the tenant is gone. */
async function restoreUrl(tenant: TenantControl, callback_url: string, inbox: string): Promise<void> {
  try {
    if ((await tenant.show()).publisher.callback_url === inbox) await tenant.update({ callback_url })
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return
    const undo = `lead-sandbox tenants change --callback-url ${callback_url}`
    throw new CommandError(`${messageOf(error)}\nThe callbacks of ${tenant.name} still go to its inbox: ${undo}`)
  }
}

async function newestNumber(tenant: TenantControl): Promise<number> {
  return numberOf((await tenant.inbox.show({ limit: 1 })).callbacks[0])
}

const numberOf = (entry: Pick<Entry, 'entry_id'> | undefined) => Number(entry?.entry_id.slice(1) ?? 0)

/** Returns the inbox entries after a known one, oldest first; all of them if the sandbox was restarted meanwhile. */
async function entriesAfter(tenant: TenantControl, known: number): Promise<Entry[]> {
  const found: Entry[] = []
  for (let before: string | undefined; ; ) {
    const { callbacks, next } = await tenant.inbox.show({ limit: controlBounds.limit.max, before })
    const after = before === undefined && numberOf(callbacks[0]) < known ? 0 : known
    const fresh = callbacks.filter(entry => numberOf(entry) > after)
    found.push(...fresh)
    if (next === undefined || fresh.length < callbacks.length) return found.reverse()
    before = next
  }
}

/** Timeout of a receiver, milliseconds. */
const answerTimeoutMs = 30_000

/**
 * Sends what the inbox got to a receiver, by the egress that callbacks have. The signature covers path and query, so a signed
 * callback is signed for the receiver's, with the same id and time.
 */
function forwarderTo(base: string, secret: string, egress: HttpEgress): Forward {
  return async ({ received_at: at, lead_id, event, headers: received }) => {
    const url = callbackUrl(base, lead_id, event)
    const { 'webhook-id': id, 'webhook-timestamp': seconds } = received
    const delivery = { secret, id: id ?? '', at: Number(seconds) * 1_000, url }
    const headers = id === undefined ? {} : await callbackSignatureHeaders(delivery)
    const start = performance.now()
    const { status, error } = await egress.send({ url, headers, timeoutMs: answerTimeoutMs })
    return { at, lead_id, event, url, status, error, ms: Math.round(performance.now() - start) }
  }
}

function forwardedLine({ at, lead_id, event, url, status, error, ms }: Forwarded): string {
  const answer = status === undefined ? paint('red', error ?? '') : paintStatus(status)
  return line([paint('dim', shortTime(at)), event, `lead ${lead_id}`, `→ ${new URL(url).host}`, answer, `${ms} ms`])
}
