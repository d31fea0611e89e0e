import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { wireError } from '@lead-distribution/contract'
import { type HttpResponse, writeResponse } from '@lead-distribution/http'
import fresh from 'fresh'
import Negotiator from 'negotiator'

/** A response ready to be sent. */
export interface SentResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  readonly body: string | Uint8Array
}

const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/** Brotli's highest quality takes twenty times as long and saves only a tenth more. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const compress = {
  br: (body: string | Uint8Array) => brotli(body, quality),
  gzip: (body: string | Uint8Array) => zip(body),
}

type Encoding = keyof typeof compress

/** For negotiator 1; its types are those of version 0.6. */
interface PreferringNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined
}

/**
 * Returns the client's preferred encoding, br in case of a tie; undefined for none, and for content that is already
 * compressed.
 */
function encodingOf(request: Pick<IncomingMessage, 'headers'>, { headers }: SentResponse): Encoding | undefined {
  if (/^(?:image\/png|font\/)/.test(headers['content-type'] ?? '')) return undefined
  const negotiator: PreferringNegotiator = new Negotiator(request)
  const best = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] })
  return best === 'br' || best === 'gzip' ? best : undefined
}

/** The maximum number of cached compressed bodies: each document and console file, in one or two encodings. */
const maxKept = 64

/** Returns true if the client's condition matches a body with this ETag (RFC 9110, 13.1.1). */
function isMatch(wanted: string | undefined, etag: string): boolean {
  return wanted === undefined || wanted.trim() === '*' || wanted.split(',').some(each => each.trim() === etag)
}

const changed = writeResponse(
  wireError('precondition_failed', "The document's ETag does not match If-Match: request it without If-Match."),
)

/**
 * Compresses bodies that have an ETag, as the request allows, and sends 304 if the client already has the body. Each
 * body is compressed only once, because only stable content has an ETag. A compressed body has its own ETag, because a
 * strong one means identical bytes.
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
