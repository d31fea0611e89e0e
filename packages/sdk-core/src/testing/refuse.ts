import {
  acceptedPixelEvents,
  type FieldIssue,
  isUuid,
  maxBodyBytes,
  proseInterpretation,
  validationError,
  wireError,
} from '@lead-distribution/contract'
import { checkLead } from '@lead-distribution/contract/lead-check'
import type { FakeRequest, FakeRequestDraft, ReadLine } from './fake-request.ts'
import type { JsonReply } from './serve.ts'

/** The refusal of a path or a method that is of no operation; undefined where it is of one. */
export function refuseLine({ draft, methods }: ReadLine): JsonReply | undefined {
  if (!methods) return wireError('not_found', 'No operation has this path below the base address of the fake service.')
  return draft.operation ? undefined : notAllowed(methods)
}

/** The refusal of a method, with those that are allowed. */
export function notAllowed(methods: readonly string[]): JsonReply {
  const allow = methods.join(', ')
  return { ...wireError('method_not_allowed', `Use one of these methods: ${allow}.`), headers: { allow } }
}

/** Reads the body into the draft of its request; gives the refusal of what is no JSON. */
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

/** The refusal of fields that are wrong; undefined where none is. */
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

function isOneOf(words: readonly string[], text: string | undefined): boolean {
  return text !== undefined && words.includes(text)
}
