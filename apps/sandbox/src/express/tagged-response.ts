import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { HttpResponse } from '@lead-distribution/http'

/** A response as it is sent. */
export interface SentResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  readonly body: string | Uint8Array
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }

type Encoding = keyof typeof compress

/** How many compressed bodies are kept: each document in each encoding, and what they were before. */
const mostKept = 8

/**
 * Compresses the bodies of responses with an ETag, as their requests accept it, and answers 304 where the client has the
 * body already. A body is compressed once: only what seldom changes has an ETag. A compressed one has an ETag of its own,
 * because a strong one means the same bytes.
 */
export function createTaggedResponses() {
  const kept = new Map<string, Promise<Uint8Array>>()

  function compressed(tag: string, encoding: Encoding, body: string): Promise<Uint8Array> {
    const found = kept.get(tag) ?? compress[encoding](body)
    kept.delete(tag)
    kept.set(tag, found)
    for (const oldest of [...kept.keys()].slice(0, -mostKept)) kept.delete(oldest)
    return found
  }

  return async (
    { status, headers, body }: HttpResponse & { readonly headers: { readonly etag: string } },
    request: Pick<IncomingMessage, 'headers'>,
  ): Promise<SentResponse> => {
    const encoding = encodingOf(request.headers['accept-encoding'])
    const etag = encoding ? headers.etag.replace(/"$/, `-${encoding}"`) : headers.etag
    const tagged = { ...headers, etag, vary: 'accept-encoding' }
    if (isKnown(etag, request.headers['if-none-match'])) {
      const { 'content-type': _type, ...others } = tagged as Record<string, string>
      return { status: 304, headers: others, body: '' }
    }
    if (!encoding) return { status, headers: tagged, body }
    const bytes = await compressed(etag, encoding, body)
    return { status, headers: { ...tagged, 'content-encoding': encoding }, body: bytes }
  }
}

/** Returns true if `If-None-Match` says that the client has the version of this ETag. */
function isKnown(etag: string, known = ''): boolean {
  return known.split(',').some(each => ['*', etag].includes(each.trim().replace(/^W\//, '')))
}

/** The encoding that a client likes best, by its `Accept-Encoding`; undefined where that is none. */
function encodingOf(accepted: string | string[] = ''): Encoding | undefined {
  const weights = new Map(
    String(accepted)
      .toLowerCase()
      .split(',')
      .map(part => {
        const [name = '', ...parameters] = part.split(';').map(text => text.trim())
        const weight = parameters.find(text => text.startsWith('q='))
        return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
      }),
  )
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0
  const best = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br'
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}
