import { type WireError, wireError } from '@lead-distribution/contract'
import type { HttpRequest } from './wire.ts'

/** A body that is JSON, or why it is refused. */
export type ReadJson = { readonly value: unknown; readonly refused?: never } | { readonly refused: WireError }

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*)?$/i

/** Reads the body of a request: its type (415), its size (413), its text (400). Here, so that every door answers alike. */
export function readJson(request: HttpRequest, maxBytes: number): ReadJson {
  const { headers, body } = request
  if (!jsonType.test(headers['content-type'] ?? '')) return { refused: wrongType }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return { refused: encoded }
  if (body.byteLength > maxBytes) return { refused: tooLarge(maxBytes) }
  try {
    return { value: JSON.parse(utf8.decode(body)) }
  } catch {
    return { refused: malformed }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const wrongType = wireError(
  'unsupported_media_type',
  'Send the body as JSON, with the header content-type: application/json.',
)
const encoded = wireError('unsupported_media_type', 'Send the body as it is, without a content-encoding.')
const malformed = wireError('malformed_json', 'Send a body that is well-formed JSON in UTF-8.')
const tooLarge = (maxBytes: number) => wireError('payload_too_large', `Send a body of at most ${maxBytes} bytes.`)
