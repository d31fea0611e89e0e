import { wireError } from '@lead-distribution/contract'
import { forcedError } from '@lead-distribution/contract/test-leads'
import type { Clock, Storage } from '@lead-distribution/engine'
import { type HttpResponse, jsonResponse, writeResponse } from '@lead-distribution/http'
import type { HttpEgress } from '../egress/guarded-egress.ts'
import type { InboxEntry, InboxMode, NumberedInboxEntry } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createStoredDocument } from '../storage/stored-document.ts'

/** A tenant's own inbox: the receiver of a publisher that has none. */
export interface Inbox {
  /** Takes a callback, or fails by its mode or its size; resolves to the HTTP status of the response. */
  take(callback: Omit<InboxEntry, 'status'>): Promise<number>
  /** Lists received callbacks with a number below `before`, newest first. */
  list(page: { before?: number | undefined; limit: number }): Promise<NumberedInboxEntry[]>
  mode(): InboxMode
  /** Sets how it responds from now on. */
  setMode(mode: InboxMode): Promise<void>
  restore(mode: InboxMode): void
}

export const takingInbox: InboxMode = { status: 200 }

/** The number of callbacks that an inbox keeps after trimming: anyone who can reach it could fill it. */
const keptEntries = 10_000

/** The number of callbacks after which an inbox is trimmed, which takes longer than adding one. */
const trimEvery = 100

/** The maximum number of entries that an inbox has. */
export const maxInboxEntries = keptEntries + trimEvery

/** The largest entry, bytes of JSON. A callback of the service takes about three hundred. */
export const maxEntryBytes = 2_048

export function createInbox(storage: Storage<SandboxTables>, initial: InboxMode, refresh?: () => Promise<void>): Inbox {
  const mode = createStoredDocument(storage, 'inbox', { initial, unwritten: takingInbox, refresh })
  // The first callback trims, so that restarts do not let it grow.
  let untilTrim = 0
  return {
    async take(callback) {
      if (utf8.encode(JSON.stringify(callback)).byteLength > maxEntryBytes) return tooLarge.status
      const trims = untilTrim === 0
      untilTrim = trims ? trimEvery - 1 : untilTrim - 1
      return mode.update(async (value, tables) => {
        const { status } = value
        await tables.addInboxEntry({ ...callback, status })
        if (trims) await tables.trimInbox(keptEntries)
        return { value: modeAfter(value), result: status }
      })
    },
    list: page => storage.read(tables => tables.listInbox(page)),
    mode: mode.current,
    setMode: value => mode.update(async () => ({ value, result: undefined })),
    restore: mode.restore,
  }
}

function modeAfter(mode: InboxMode): InboxMode {
  const { status, times } = mode
  if (times === undefined) return mode
  return times > 1 ? { status, times: times - 1 } : takingInbox
}

const utf8 = new TextEncoder()

const tooLarge = wireError(
  'payload_too_large',
  `An inbox keeps callbacks of at most ${maxEntryBytes} bytes, path, query and webhook headers together: send a shorter one.`,
)

export interface ReceivedCallback {
  /** Its path and query. */
  readonly target: string
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly received_at: number
}

/** Takes a callback into the inbox of a tenant, as a publisher's own receiver would. */
export async function receiveCallback(inbox: Inbox, callback: ReceivedCallback): Promise<HttpResponse> {
  return inboxResponse(await inbox.take(inboxEntry(callback)))
}

function inboxResponse(status: number): HttpResponse {
  if (status < 300) return jsonResponse(status, { taken: true })
  return writeResponse(status === tooLarge.status ? tooLarge : forcedError(status))
}

function inboxEntry({ target, headers, received_at }: ReceivedCallback): Omit<InboxEntry, 'status'> {
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1))
  const signed = Object.entries(headers).filter(([name, value]) => name.startsWith('webhook-') && value !== undefined)
  return {
    received_at,
    lead_id: query.get('lead_id') ?? '',
    event: query.get('event') ?? '',
    target,
    headers: Object.fromEntries(signed) as Record<string, string>,
  }
}

export interface InboxEgressOptions {
  readonly inbox: Inbox
  readonly url: string
  readonly clock: Clock
  readonly outbound: HttpEgress
}

/** Returns true if a callback URL is that of an inbox, with a query of its own or without. */
export function isInbox(callbackUrl: string, inbox: string): boolean {
  if (!URL.canParse(callbackUrl)) return false
  const { origin, pathname } = new URL(callbackUrl)
  return `${origin}${pathname}` === inbox
}

/** Creates the egress of one tenant. Its own inbox is reached in process, without a socket, on every adapter. */
export function createInboxEgress({ inbox, url, clock, outbound }: InboxEgressOptions): HttpEgress {
  return {
    async send(request) {
      if (!request.url.startsWith(`${url}?`)) return outbound.send(request)
      const { pathname, search } = new URL(request.url)
      const received = { target: `${pathname}${search}`, headers: request.headers, received_at: clock.now() }
      const response = inboxResponse(await inbox.take(inboxEntry(received)))
      const { status, headers, body: text } = response
      return { status, answer: { headers, text, isOwn: true } }
    },
  }
}
