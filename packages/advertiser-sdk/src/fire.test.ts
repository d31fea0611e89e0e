import { createServer } from 'node:net'
import { replies, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAdvertiser } from './advertiser.ts'
import { PostbackUrl } from './postback-url.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const reply = JSON.stringify({ lead_id, event: 'approved', status: 'received' })

/** A server that reads bytes, not HTTP: it keeps the request lines as they reached its socket. */
async function startRawServer() {
  const lines: string[] = []
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', bytes => {
      lines.push(bytes.toString('latin1').split('\r\n')[0] ?? '')
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${reply.length}\r\nconnection: close\r\n\r\n${reply}`)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { baseUrl: `http://127.0.0.1:${address.port}/api/v1`, lines }
}

describe('what reaches the service', () => {
  it.each([
    'a~b',
    'YWJj+/==',
    'YWJj%2B%2F%3D%3D',
    'a%20c',
    '%7e%7E',
    '%E0%A4%A',
    '100%',
    'a%zzb',
    'a/b//c/../d',
    'a,b;c:d|e^f`g',
    '{t}[u]($v)!*@',
    'a?b=c?',
    '==',
  ])('is the token %s, unchanged', async token => {
    const { baseUrl, lines } = await startRawServer()
    const advertiser = createAdvertiser({ baseUrl, apiKey: null })
    const path = `/api/v1/lead/${lead_id}/status?x=%c3&token=${token}`
    const url = advertiser.parsePostbackUrl(baseUrl.replace('/api/v1', path))
    const result = await advertiser.fire(url, { event: 'approved', ref: 'loan ~7' })
    expect(result.outcome).toBe('received')
    expect(lines).toEqual([`GET ${path}&event=approved&ref=loan%20~7 HTTP/1.1`])
  })
})

it.each([
  ["it's", 'it%27s'],
  [`"<a&b>"`, '%22%3Ca%26b%3E%22'],
  ["!'()*~", '!%27()*~'],
  ['Núñez €', 'N%C3%BA%C3%B1ez%20%E2%82%AC'],
])('sends the reference %s, which the service reads unchanged', async (ref, written) => {
  const { baseUrl, lines } = await startRawServer()
  const advertiser = createAdvertiser({ baseUrl, apiKey: null })
  const url = advertiser.parsePostbackUrl(`${baseUrl}/lead/${lead_id}/status?token=t`)
  expect((await advertiser.fire(url, { event: 'approved', ref })).outcome).toBe('received')
  expect(lines).toEqual([`GET /api/v1/lead/${lead_id}/status?token=t&event=approved&ref=${written} HTTP/1.1`])
  expect(new URL(lines[0]?.split(' ')[1] ?? '', baseUrl).searchParams.get('ref')).toBe(ref)
})

describe('what is passed to fire', () => {
  async function start() {
    const server = await startFaultServer(replies(200, reply))
    const advertiser = createAdvertiser({ baseUrl: server.baseUrl, apiKey: null })
    return { ...server, advertiser, text: `${server.baseUrl}/lead/${lead_id}/status?token=hunter2` }
  }

  it('may be the URL of another copy of the package', async () => {
    const { advertiser, reached, text, baseUrl } = await start()
    const copy = './postback-url.ts?another-copy'
    const { PostbackUrl: Other } = (await import(copy)) as { PostbackUrl: typeof PostbackUrl }
    const url = Other.parse(text, { baseUrl })
    expect(url).not.toBeInstanceOf(PostbackUrl)
    expect((await advertiser.fire(url, { event: 'approved' })).outcome).toBe('received')
    expect(reached).toHaveLength(1)
  })

  it('is refused as text, a copy, a proxy or an imitation, and nothing is sent', async () => {
    const { advertiser, reached, text } = await start()
    const url = advertiser.parsePostbackUrl(text)
    const elsewhere = { lead_id, expose: () => text.replace('127.0.0.1', 'localhost') }
    const others = [text, { ...url }, structuredClone(url), new Proxy(url, {}), undefined, elsewhere]
    for (const other of others) {
      const error = await advertiser.fire(other as never, { event: 'approved' }).catch(caught => caught)
      expect(error).toMatchObject({ code: 'config', message: expect.not.stringContaining('hunter2') })
    }
    expect(reached).toHaveLength(0)
  })

  it.each<[unknown, string]>([
    [undefined, 'event'],
    [{}, 'event'],
    [{ event: 'converted' }, 'event'],
    [{ event: 'approved', ref: 'r'.repeat(256) }, 'ref'],
    [{ event: 'approved', ref: '\ud83d' }, 'ref'],
  ])('is no postback: %o', async (postback, field) => {
    const { advertiser, reached, text } = await start()
    const error = await advertiser.fire(advertiser.parsePostbackUrl(text), postback as never).catch(caught => caught)
    expect(error).toMatchObject({ code: 'validation', issues: [{ field }] })
    expect(reached).toHaveLength(0)
  })

  it('is an event that the URL carries already, sent unchanged; another one is an error', async () => {
    const { advertiser, reached, text } = await start()
    const url = advertiser.parsePostbackUrl(`${text}&event=loan_issued`)
    await advertiser.fire(url, { event: 'approved' })
    expect(reached[0]?.url).toMatch(/status\?token=hunter2&event=loan_issued$/)
    await expect(advertiser.fire(url, { event: 'rejected' })).rejects.toMatchObject({ code: 'config' })
    expect(reached).toHaveLength(1)
  })
})
