import { setTimeout } from 'node:timers/promises'
import { callbackUrl } from '@lead-distribution/contract'
import { ControlError, type TenantControl } from '@lead-distribution/control-client'
import type { ControlReply, HttpEgress } from '@lead-distribution/simulator'
import { isTransient, messageOf, reconnects } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { excluding, flag, onOff } from './flags.ts'
import { line, paint, paintStatus, shortTime } from './printing.ts'
import { type Session, verb } from './run-verb.ts'
import { callbackAuthorityFlag, callbackHostFlag } from './server-flags.ts'
import { stopSignal } from './stop-signal.ts'
import { since } from './values.ts'

type Delivery = ControlReply<'takeCallbacks'>['deliveries'][number]

/** The result of a forwarded attempt: the receiver's status, or the reason why there is none. */
interface Forwarded extends Pick<Delivery, 'lead_id' | 'event' | 'attempt' | 'url'> {
  /** Real time, because the listener is not on the tenant's clock. */
  readonly at: string
  readonly status?: number | undefined
  readonly error?: string | undefined
  /** Milliseconds. */
  readonly ms: number
}

/** `lead-sandbox listen`: forwards a sandbox's callbacks to a receiver on this machine, wherever the sandbox runs. */
export const listen = verb({
  takes: {
    forwardTo: flag('<url>', 'your receiver, such as http://localhost:3000/callback'),
    since: excluding(
      'end',
      flag(
        '<when>',
        'first resend the callbacks sent since a duration before now, such as 24h, or since a time',
        since,
      ),
    ),
    end: excluding('forwardTo', onOff("end the tenant's listener after it was killed")),
    allowCallbackHost: callbackHostFlag('also allow forwarding to this host'),
    callbackCa: callbackAuthorityFlag,
  },
  notes: `While it runs, the tenant's callbacks come over the connection that this command opened, and it sends them to your receiver. The receiver's response is the result: a failure is retried on the tenant's clock, no response is a timeout, and lead-sandbox callbacks wait, show and recover see the same. Callbacks are signed for this URL. On Ctrl-C, callbacks go to the tenant's callback URL again. If the command is killed, they are held until another one listens, or until lead-sandbox listen --end. A tenant has one listener at a time.`,
  examples: [
    '--forward-to http://localhost:3000/callback',
    '--forward-to http://localhost:3000/callback --since 24h',
    '--forward-to http://localhost:3000/callback --sandbox https://qa.example --tenant checkout',
    '--end',
  ],
  async call(session, { forwardTo, since, end, allowCallbackHost, callbackCa }) {
    if (end) return endListener(session)
    if (forwardTo === undefined)
      throw new CommandError('Pass your receiver: --forward-to http://localhost:3000/callback.', exitCodes.usage)
    const { createGuardedEgress } = await import('@lead-distribution/simulator')
    await checkTarget(forwardTo, allowCallbackHost)
    const { createNodeDialer } = await import('../dialer/node-dialer.ts')
    const dialer = createNodeDialer({ ca: callbackCa })
    const stop = new AbortController()
    void stopSignal(false).then(() => stop.abort())
    try {
      const egress = createGuardedEgress(dialer, () => allowCallbackHost)
      await forwardUntil(stop.signal, session, { forwardTo, since }, egress)
    } finally {
      dialer.close()
    }
  },
})

async function endListener({ tenant, print }: Session): Promise<void> {
  const { listener } = await tenant.show()
  if (!listener) throw new CommandError(`The tenant ${tenant.name} has no listener.`)
  print(
    await tenant.listener.end(listener.listener_id),
    () => `The callbacks of ${tenant.name} go to its callback URL.`,
  )
}

/**
 * Rejects a receiver to which callbacks must not be sent, or one on another machine without the flag that allows it.
 */
async function checkTarget(forwardTo: string, allowed: readonly string[]): Promise<void> {
  const { canonicalHost, refuseCallbackUrl } = await import('@lead-distribution/simulator')
  const host = URL.canParse(forwardTo) ? (canonicalHost(new URL(forwardTo).hostname) ?? '') : ''
  const refused = refuseCallbackUrl(forwardTo, [host])
  if (refused !== undefined) throw new CommandError(`--forward-to ${refused}.`, exitCodes.usage)
  if (refuseCallbackUrl(forwardTo, allowed) === undefined) return
  const hint = `add --allow-callback-host ${host} if you want that`
  throw new CommandError(`--forward-to names ${host}, which is not this machine: ${hint}.`, exitCodes.usage)
}

/** Forwards a tenant's callbacks until the signal, then always ends the listener. */
async function forwardUntil(
  signal: AbortSignal,
  { tenant, json, print }: Session,
  { forwardTo, since }: { readonly forwardTo: string; readonly since: string | undefined },
  egress: HttpEgress,
): Promise<void> {
  const stopped = new Promise<undefined>(resolve => signal.addEventListener('abort', () => resolve(undefined)))
  let { listener_id, resent } = await tenant.listener.start({ forwardTo, since })
  let isReady = false
  let failure: unknown

  /** Forwards a callback and reports the response. If nobody is waiting for the result any more, it has timed out. */
  async function forward(delivery: Delivery): Promise<void> {
    const forwarded = await send(delivery, forwardTo, egress)
    if (signal.aborted) return
    const { status, error } = forwarded
    print(forwarded, forwardedLine)
    await tenant.listener
      .report(listener_id, delivery.delivery_id, status === undefined ? { error } : { status })
      .catch(refused => isTransient(refused) || isNotFound(refused) || Promise.reject(refused))
  }

  /** Receives callbacks until the signal, and retries failed requests. */
  async function take(): Promise<void> {
    for (let failures = 0; !signal.aborted && failure === undefined; ) {
      try {
        const taking = tenant.listener.take(listener_id)
        if (!isReady) ready()
        const taken = await Promise.race([taking, stopped])
        // Not awaited, so that a slow receiver does not delay other callbacks.
        for (const delivery of taken?.deliveries ?? []) void forward(delivery).catch(fail)
        failures = 0
      } catch (error) {
        if (isNotFound(error)) listener_id = await startAgain(failures > 0)
        else if (!isTransient(error) || ++failures > reconnects.times) throw error
        await setTimeout(reconnects.pauseMs, undefined, { signal }).catch(() => undefined)
      }
    }
    if (failure !== undefined) throw failure
  }

  const fail = (error: unknown) => {
    failure ??= error
  }

  function ready(): void {
    isReady = true
    if (json) return
    const again = resent === 0 ? '' : ` Resending ${resent} earlier callbacks first.`
    console.log(`Ready. Forwarding the callbacks of ${tenant.name}.${again} Stop with Ctrl-C.`)
  }

  /** A restarted in-memory sandbox has forgotten the listener. */
  async function startAgain(wasUnreachable: boolean): Promise<string> {
    const { listener } = await tenant.show()
    if (listener) throw new CommandError(`Another command is now listening to the callbacks of ${tenant.name}.`)
    if (!wasUnreachable)
      throw new CommandError(`The listener was ended: the callbacks of ${tenant.name} go to its callback URL.`)
    return (await tenant.listener.start({ forwardTo })).listener_id
  }

  try {
    await take()
  } finally {
    await endOwn(tenant, listener_id)
  }
}

/** Ends this command's listener, unless it was ended already or the tenant is gone. */
async function endOwn(tenant: TenantControl, listenerId: string): Promise<void> {
  try {
    await tenant.listener.end(listenerId)
  } catch (error) {
    if (isNotFound(error)) return
    throw new CommandError(
      `${messageOf(error)}\nThe callbacks of ${tenant.name} are held. To send them to its callback URL: lead-sandbox listen --end`,
    )
  }
}

const isNotFound = (error: unknown) => ControlError.is(error) && error.status === 404

/** Sends a callback to the receiver through the same egress guard as any callback, and to no other URL. */
async function send(delivery: Delivery, forwardTo: string, egress: HttpEgress): Promise<Forwarded> {
  const { lead_id, event, attempt, url, headers, timeout_ms: timeoutMs } = delivery
  const at = new Date().toISOString()
  const start = performance.now()
  const isOwn = url === callbackUrl(forwardTo, lead_id, event)
  const { status, error } = isOwn
    ? await egress.send({ url, headers, timeoutMs })
    : { status: undefined, error: 'not sent: the callback is for another URL than --forward-to' }
  return { at, lead_id, event, attempt, url, status, error, ms: Math.round(performance.now() - start) }
}

function forwardedLine({ at, lead_id, event, attempt, url, status, error, ms }: Forwarded): string {
  const answer = status === undefined ? paint('red', error ?? '') : paintStatus(status)
  const nth = attempt > 1 ? `attempt ${attempt}` : undefined
  return line([
    paint('dim', shortTime(at)),
    event,
    `lead ${lead_id}`,
    nth,
    `→ ${new URL(url).host}`,
    answer,
    `${ms} ms`,
  ])
}
