import { wireError } from '@lead-distribution/contract'
import { forcedError } from '@lead-distribution/contract/test-leads'
import type { Clock, Storage } from '@lead-distribution/engine'
import { type HttpResponse, jsonResponse, writeResponse } from '@lead-distribution/http'
import type { HttpEgress } from '../egress/guarded-egress.ts'
import type { InboxEntry, InboxMode, NumberedInboxEntry } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createStoredDocument } from '../storage/stored-document.ts'

/** A tenant's inbox: receives callbacks for a publisher without a receiver. */
export interface Inbox {
  /**
   * Accepts a callback, or fails because of the inbox's mode or the callback's size; resolves to the response's HTTP
   * status.
   */
  take(callback: Omit<InboxEntry, 'status'>): Promise<number>
  /** Lists received callbacks with a number below `before`, newest first. */
  list(page: { before?: number | undefined; limit: number }): Promise<NumberedInboxEntry[]>
  mode(): InboxMode
  /** Sets how the inbox responds from now on. */
  setMode(mode: InboxMode): Promise<void>
  restore(mode: InboxMode): void
}

export const acceptingInbox: InboxMode = { status: 200 }

/** The number of callbacks left after trimming. The bound matters because anyone who reaches an inbox could fill it. */
const keptEntries = 10_000

/** Trims an inbox after this many callbacks, because trimming takes longer than adding one. */
const trimEvery = 100

/** The maximum number of entries in an inbox. */
export const maxInboxEntries = keptEntries + trimEvery

/** The maximum size of an entry, in bytes of JSON. The service's own callbacks take about 300. */
export const maxEntryBytes = 2_048

export function createInbox(storage: Storage<SandboxTables>, initial: InboxMode, refresh?: () => Promise<void>): Inbox {
  const mode = createStoredDocument(storage, 'inbox', { initial, unwritten: acceptingInbox, refresh })
  // The first callback trims, so that an inbox doesn't grow across restarts.
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
  return times > 1 ? { status, times: times - 1 } : acceptingInbox
}

const utf8 = new TextEncoder()

const tooLarge = wireError(
  'payload_too_large',
  `An inbox accepts callbacks of at most ${maxEntryBytes} bytes, including path, query and webhook headers. Send a shorter one.`,
)

export interface ReceivedCallback {
  /** Its path and query. */
  readonly target: string
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly received_at: number
}

/** Receives a callback in a tenant's inbox, as a publisher's own receiver would. */
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

/** Returns true if a callback URL points at an inbox, with or without a query. */
export function isInbox(callbackUrl: string, inbox: string): boolean {
  if (!URL.canParse(callbackUrl)) return false
  const { origin, pathname } = new URL(callbackUrl)
  return `${origin}${pathname}` === inbox
}

/** Creates a tenant's egress. On every adapter, it reaches the tenant's own inbox in process, without a socket. */
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
