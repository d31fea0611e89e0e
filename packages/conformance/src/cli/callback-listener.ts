/**
 * A listener for the callbacks of the service under test.
 * @module @lead-distribution/conformance/callback-listener
 */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions } from '../options.ts'
import { type CallbackAnswer, type Callbacks, callbackParameter, type ReceivedCallback } from '../target.ts'

/**
 * The listener's options.
 * @category Options
 */
export interface CallbackListenerOptions {
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string
  /** The port to listen on. Default: any free port. */
  readonly port?: number
  /** The URL that the service calls, if it differs from the listener's own. */
  readonly url?: string | undefined
  /** The time to wait for a callback, in milliseconds. Default: 3000. */
  readonly patienceMs?: number
}

/**
 * The publisher's end of the callbacks, on its own socket.
 * @category Callbacks
 */
export interface CallbackListener extends Callbacks, AsyncDisposable {}

type Attempt = { -readonly [Name in keyof ReceivedCallback]: ReceivedCallback[Name] }

/**
 * Listens for callbacks at a URL with a query that each callback must keep. Rejects if the address is in use.
 * @category Callbacks
 */
export async function openCallbackListener(options: CallbackListenerOptions = {}): Promise<CallbackListener> {
  checkOptions('openCallbackListener', options, ['host', 'port', 'url', 'patienceMs'])
  const { host = '127.0.0.1', port = 0, patienceMs = 3000 } = options
  const { take, ...attempts } = createAttempts(patienceMs)
  let turn: Promise<unknown> = Promise.resolve()

  const server = createServer((request, response) => {
    receive(request).then(
      received => take(received, response),
      () => response.destroy(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo

  return {
    url: options.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${actual}/callbacks?source=conformance`,
    ...attempts,
    inTurn(run) {
      const result = turn.then(run)
      turn = result.catch(() => undefined)
      return result
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Records the attempts for each lead, and the responses to them. */
function createAttempts(patienceMs: number) {
  const leads = new Map<string, { attempts: Attempt[]; answers: CallbackAnswer[]; hanging: Set<ServerResponse> }>()
  const arrivals = new Set<() => void>()

  function leadOf(lead_id: string) {
    const lead = leads.get(lead_id) ?? { attempts: [], answers: [], hanging: new Set() }
    leads.set(lead_id, lead)
    return lead
  }

  return {
    take(received: Attempt, response: ServerResponse) {
      const lead_id = callbackParameter(received, 'lead_id') ?? ''
      const { attempts, answers, hanging } = leadOf(lead_id)
      attempts.push(received)
      const answer = answers.shift() ?? 200
      if (answer === 'hang') {
        hanging.add(response)
        response.on('close', () => {
          if (hanging.delete(response) && !response.writableEnded) received.hungUpAt = Date.now()
        })
      } else response.writeHead(answer, isRedirect(answer) ? { location: elsewhere(lead_id) } : {}).end()
      for (const arrived of arrivals) arrived()
    },
    of: (lead_id: string) => [...leadOf(lead_id).attempts],
    wait(lead_id: string, event?: string) {
      const { attempts } = leadOf(lead_id)
      const wanted = () => attempts.find(each => event === undefined || callbackParameter(each, 'event') === event)
      return new Promise<ReceivedCallback | undefined>(resolve => {
        const finish = () => {
          clearTimeout(timer)
          arrivals.delete(look)
          resolve(wanted())
        }
        const look = () => {
          if (wanted()) finish()
        }
        const timer = setTimeout(finish, patienceMs)
        arrivals.add(look)
        look()
      })
    },
    answer(lead_id: string, next: readonly CallbackAnswer[]) {
      const lead = leadOf(lead_id)
      lead.answers.splice(0, Number.POSITIVE_INFINITY, ...next)
      for (const response of lead.hanging) response.end()
    },
  }
}

const isRedirect = (status: number) => status >= 300 && status < 400

/** Redirects point to the same host, so that the listener notices a sender that follows them. */
function elsewhere(lead_id: string): string {
  return `/elsewhere?lead_id=${encodeURIComponent(lead_id.toWellFormed())}`
}

/** Reads a request to its end. Keeps only the beginning of a long body. */
async function receive(request: IncomingMessage): Promise<Attempt> {
  const { method = '', url: target = '', headers } = request
  const at = Date.now()
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) if (body.length < 65_536) body += chunk
  return { at, method, target, headers: headers as Attempt['headers'], body }
}
