import {
  acceptedPixelEvents,
  equalText,
  type FieldIssue,
  isUuid,
  keyHeader,
  leadToken,
  maxBodyBytes,
  proseInterpretation,
  validationError,
  wireError,
} from '@lead-distribution/contract'
import { checkLead } from '@lead-distribution/contract/lead-check'
import type { CallName } from '../call/retry.ts'
import { fakeAccount, fakeTokenFormat } from './fake-account.ts'

/** A request that reached a fake service. Holds no key and no token. */
export interface FakeRequest {
  /** The operation; undefined where path and method belong to none. */
  readonly operation: CallName | undefined
  /** The HTTP method. */
  readonly method: string
  /** The path below the base address, such as `/lead`; the whole path where it is outside. */
  readonly path: string
  /** The lead of the path, in the spelling of the request. */
  readonly lead_id?: string
  /** The query, without a pixel's token. */
  readonly query: Readonly<Record<string, string>>
  /** Whether it carried the API key, or the token, of its operation. */
  readonly credential: 'right' | 'wrong' | 'missing'
  /** The JSON of its body; the text where that is no JSON, undefined where there is no body. */
  readonly body: unknown
}

/** A request while it is read. */
export type FakeRequestDraft = { -readonly [Name in keyof FakeRequest]: FakeRequest[Name] }

const statusPath = /^\/lead\/([^/]+)\/status$/

/** A request whose line is read; its credential and its body are still unread. */
export interface ReadLine {
  readonly draft: FakeRequestDraft
  /** The methods of its path; undefined where there is no such path. */
  readonly methods: readonly string[] | undefined
}

/** Reads the line of a request. */
export function readLine(method: string, url: URL, basePath: string): ReadLine {
  const below = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : undefined
  const lead_id = below && statusPath.exec(below)?.[1]
  const methods = below === '/lead' ? ['POST'] : lead_id ? ['POST', 'PATCH', 'GET'] : undefined
  const { token: _token, [keyHeader]: _key, ...query } = Object.fromEntries(url.searchParams)
  const draft: FakeRequestDraft = {
    operation: methods?.includes(method) ? operationOf(method, lead_id) : undefined,
    method,
    path: below ?? url.pathname,
    ...(lead_id && { lead_id }),
    query,
    credential: 'missing',
    body: undefined,
  }
  return { draft, methods }
}

function operationOf(method: string, lead_id: string | undefined): CallName {
  if (!lead_id) return 'submitLead'
  return method === 'GET' ? 'reportEvent' : 'reportStatus'
}

/** A reply that is JSON. */
export interface JsonReply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** The refusal of a path or a method that belongs to no operation; undefined where it belongs to one. */
export function refuseLine({ draft, methods }: ReadLine): JsonReply | undefined {
  if (!methods) return wireError('not_found', 'No operation has this path below the base address of the fake service.')
  return draft.operation ? undefined : notAllowed(methods)
}

/** The refusal of a method, with those that are allowed. */
export function notAllowed(methods: readonly string[]): JsonReply {
  const allow = methods.join(', ')
  return { ...wireError('method_not_allowed', `Use one of these methods: ${allow}.`), headers: { allow } }
}

/** Reads the body into the draft of its request; returns the refusal of a body that is no JSON. */
export async function readBody(request: Request, draft: FakeRequestDraft): Promise<JsonReply | undefined> {
  const bytes = await request.arrayBuffer()
  const text = new TextDecoder().decode(bytes)
  draft.body = text || undefined
  if (draft.operation === 'reportEvent') return undefined
  const malformed = parseInto(draft, text)
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return wireError('unsupported_media_type', 'Send the body as JSON, with the header content-type: application/json.')
  if (bytes.byteLength > maxBodyBytes)
    return wireError('payload_too_large', `Send a body of at most ${maxBodyBytes} bytes.`)
  return malformed
}

function parseInto(draft: FakeRequestDraft, text: string): JsonReply | undefined {
  try {
    draft.body = JSON.parse(text)
    return undefined
  } catch {
    return wireError('malformed_json', 'Send a body that is well-formed JSON in UTF-8.')
  }
}

/** The refusal of wrong fields; undefined where all are right. */
export function refuseFields(request: FakeRequest): JsonReply | undefined {
  const issues = issuesOf(request)
  return issues.length > 0 ? validationError(issues) : undefined
}

function issuesOf({ operation, lead_id = '', query, body }: FakeRequest): FieldIssue[] {
  if (operation === 'submitLead') return checkLead(body, proseInterpretation)
  const issues: FieldIssue[] = []
  if (operation === 'reportEvent') {
    if (!isOneOf(acceptedPixelEvents, query.event))
      issues.push({ field: 'event', issue: `must be one of ${acceptedPixelEvents.join(', ')}` })
    return issues
  }
  const { status } = Object(body)
  if (!isUuid(lead_id)) issues.push({ field: 'lead_id', issue: 'must be a UUID, the lead_id of the submission' })
  if (typeof status !== 'string' || !status)
    issues.push({ field: 'status', issue: 'must be a string that is not empty' })
  return issues
}

function isOneOf(values: readonly string[], text: string | undefined): boolean {
  return text !== undefined && values.includes(text)
}

const { publisher, advertisers } = fakeAccount
const [advertiser] = advertisers

const unauthorized: JsonReply = wireError(
  'unauthorized',
  'Send the key that `publisher` or `advertiser` of the fake service carries, or a token made with its secret.',
)

/** The refusal of a call without its operation's own key in the header, or with one in the URL. */ // Spec 5
export function refuseKey(draft: FakeRequestDraft, headers: Headers, url: URL): JsonReply | undefined {
  if (draft.operation === 'reportEvent') return undefined
  const inUrl = url.searchParams.has(keyHeader)
  const expected = (draft.operation === 'submitLead' ? publisher : advertiser).api_key
  return checkCredential(draft, headers.get(keyHeader), key => !inUrl && key === expected)
}

/** The refusal of a pixel without the token of its lead. */ // Spec 4.3, 5
export async function refuseToken(draft: FakeRequestDraft, url: URL): Promise<JsonReply | undefined> {
  if (draft.operation !== 'reportEvent') return undefined
  const { advertiser_id, postback_secret } = advertiser
  const lead_id = (draft.lead_id ?? '').toLowerCase()
  const expected = await leadToken({ lead_id, advertiser_id, postback_secret }, fakeTokenFormat)
  return checkCredential(draft, url.searchParams.get('token'), token => equalText(token, expected))
}

/** Records in the draft whether its credential is right. */
function checkCredential(
  draft: FakeRequestDraft,
  given: string | null,
  isRight: (given: string) => boolean,
): JsonReply | undefined {
  draft.credential = given ? (isRight(given) ? 'right' : 'wrong') : 'missing'
  return draft.credential === 'right' ? undefined : unauthorized
}
