import { expect, it } from 'vitest'
import { readText } from './send-request.ts'

const mebibyte = 1_048_576

/** A reply that never ends, and how many chunks of 64 KiB were read. */
function endless(headers: Record<string, string> = {}) {
  const seen = { pulls: 0, cancelled: false }
  const body = new ReadableStream({
    pull(controller) {
      seen.pulls += 1
      controller.enqueue(new Uint8Array(65_536).fill(32))
    },
    cancel() {
      seen.cancelled = true
    },
  })
  return { response: new Response(body, { headers }), seen }
}

it.each([{}, { 'content-length': '9', 'content-encoding': 'gzip' }, { 'content-length': `${mebibyte + 1}` }])(
  'stops reading an endless reply with %o, and releases the connection',
  async headers => {
    const { response, seen } = endless(headers as Record<string, string>)
    expect(await readText(response)).toBe('')
    expect(seen.cancelled).toBe(true)
    expect(seen.pulls).toBeLessThan(20)
  },
)

it('reads up to a mebibyte, and no byte more', async () => {
  const streamed = (length: number) => new Response(new Blob(['x'.repeat(length)]).stream())
  expect(await readText(streamed(mebibyte))).toHaveLength(mebibyte)
  expect(await readText(streamed(mebibyte + 1))).toBe('')
})

it('reads letters that are cut between two chunks', async () => {
  const bytes = new TextEncoder().encode('{"é":"ñ€"}')
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await readText(new Response(body))).toBe('{"é":"ñ€"}')
})

it('reads what has no stream', async () => {
  const response = { headers: new Headers(), body: null, text: async () => 'text' }
  expect(await readText(response as Response)).toBe('text')
  expect(await readText(new Response(null, { status: 204 }))).toBe('')
})
