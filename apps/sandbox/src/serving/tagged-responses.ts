import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { wireError } from '@lead-distribution/contract'
import { type HttpResponse, writeResponse } from '@lead-distribution/http'
import fresh from 'fresh'
import Negotiator from 'negotiator'

/** A response as it is sent. */
export interface SentResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  readonly body: string | Uint8Array
}

const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/** The highest quality of Brotli takes twenty times as long for a tenth fewer bytes. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const compress = {
  br: (body: string | Uint8Array) => brotli(body, quality),
  gzip: (body: string | Uint8Array) => zip(body),
}

type Encoding = keyof typeof compress

/** Of negotiator 1; its types are those of version 0.6. */
interface PreferringNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined
}

/** The encoding that a client likes best, br among equals; undefined for none, and for what is compressed already. */
function encodingOf(request: Pick<IncomingMessage, 'headers'>, { headers }: SentResponse): Encoding | undefined {
  if (/^(?:image\/png|font\/)/.test(headers['content-type'] ?? '')) return undefined
  const negotiator: PreferringNegotiator = new Negotiator(request)
  const best = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] })
  return best === 'br' || best === 'gzip' ? best : undefined
}

/** The number of compressed bodies that are kept: each document and each file of the console, in one encoding or two. */
const maxKept = 64

/** Returns true if a client takes the version of a body that has this ETag (RFC 9110, 13.1.1). */
function isMatch(wanted: string | undefined, etag: string): boolean {
  return wanted === undefined || wanted.trim() === '*' || wanted.split(',').some(each => each.trim() === etag)
}

const changed = writeResponse(
  wireError('precondition_failed', 'The document has another ETag than If-Match names: request it without If-Match.'),
)

/**
 * Compresses the bodies of responses with an ETag, as their requests accept it, and sends 304 if the client has the
 * body already. A body is compressed once: only what seldom changes has an ETag. A compressed one has an ETag of its own,
 * because a strong one means the same bytes.
 */
export function createTaggedResponses() {
  const kept = new Map<string, Promise<Uint8Array>>()

  function compressed(tag: string, encoding: Encoding, body: SentResponse['body']): Promise<Uint8Array> {
    const found = kept.get(tag) ?? compress[encoding](body)
    kept.delete(tag)
    kept.set(tag, found)
    for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest)
    return found
  }

  return async (
    response: SentResponse,
    etagOfBody: string,
    request: Pick<IncomingMessage, 'headers'>,
  ): Promise<SentResponse> => {
    const { status, headers, body } = response
    const encoding = encodingOf(request, response)
    const etag = encoding ? etagOfBody.replace(/"$/, `-${encoding}"`) : etagOfBody
    const tagged = { ...headers, etag, vary: 'accept-encoding' }
    if (!isMatch(request.headers['if-match'], etag)) return changed
    if (fresh(request.headers, { etag })) {
      const { 'content-type': _type, ...others } = tagged as Record<string, string>
      return { status: 304, headers: others, body: '' }
    }
    if (!encoding) return { status, headers: tagged, body }
    const bytes = await compressed(etag, encoding, body)
    return { status, headers: { ...tagged, 'content-encoding': encoding }, body: bytes }
  }
}
