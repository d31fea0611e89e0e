import { forgeCallbacks } from '@lead-distribution/contract/forged-callbacks'
import { describe, expect, it } from 'vitest'
import {
  type CallbackEvent,
  type CallbackVerification,
  createCallbackReceiver,
  createCallbackUrl,
} from './callbacks.ts'
import { createTestCallback, createTestSigningSecret } from './testing.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const event = 'loan_issued'
const { url, secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks?site=a%20b')
const secret = createTestSigningSecret()

/** Creates a receiver and the list of events that it handled. */
function receiver(verify: CallbackVerification) {
  const handled: CallbackEvent[] = []
  return { receive: createCallbackReceiver({ verify, handle: it => void handled.push(it) }), handled }
}

/** The ways to verify a callback, with the genuine callback for each. */
const ways = {
  'a URL secret': [{ urlSecrets: [urlSecret] }, { url, urlSecret, lead_id, event }],
  'a signature': [
    { signature: { secrets: [secret] } },
    { url: 'https://publisher.example/cb', secret, lead_id, event },
  ],
  both: [
    { urlSecrets: [urlSecret], signature: { secrets: [secret] } },
    { url, urlSecret, secret, lead_id, event },
  ],
  nothing: ['none', { url: 'https://publisher.example/cb', lead_id, event }],
} as const

describe.each(Object.entries(ways))('by %s', (_name, [verify, genuine]) => {
  it('handles a genuine callback', async () => {
    const { receive, handled } = receiver(verify)
    const { urlSecret: _, ...callback } = { urlSecret: '', ...genuine }
    expect((await receive(await createTestCallback(callback))).status).toBe(200)
    expect(handled).toEqual([expect.objectContaining({ lead_id, event: 'approved', rawEvent: event })])
  })

  it('refuses every forged callback and handles none', async () => {
    const { receive, handled } = receiver(verify)
    const forged = Object.entries(await forgeCallbacks(genuine))
    const flaws = 6 + ('urlSecret' in genuine ? 2 : 0) + ('secret' in genuine ? 5 : 0)
    expect(forged).toHaveLength(flaws)
    for (const [flaw, request] of forged) {
      const { status } = await receive(request)
      expect(status >= 400 && status < 500, `${flaw}: ${status}`).toBe(true)
    }
    expect(handled).toEqual([])
  })
})

it('refuses each flaw by itself', async () => {
  const [verify, genuine] = ways.both
  const { receive } = receiver(verify)
  const statuses: Record<string, number> = {}
  for (const [flaw, request] of Object.entries(await forgeCallbacks(genuine)))
    statuses[flaw] = (await receive(request)).status
  expect(statuses).toEqual({
    post: 405,
    no_lead_id: 400,
    no_event: 400,
    lead_id_no_uuid: 400,
    repeated_lead_id: 400,
    repeated_event: 400,
    wrong_url_secret: 404,
    no_url_secret: 404,
    unsigned: 401,
    wrong_signature: 401,
    signed_for_other_lead: 401,
    signed_long_ago: 401,
    signed_ahead: 401,
  })
})

describe('a test callback', () => {
  it("preserves the URL's query and appends lead_id and event", async () => {
    const request = await createTestCallback({ url: `${url}&event=old`, lead_id, event: 'a b' })
    expect([request.method, request.url]).toEqual(['GET', `${url}&lead_id=${lead_id}&event=a%20b`])
    expect([...request.headers]).toEqual([])
  })

  it('is signed with the given time and id', async () => {
    const at = new Date('2026-01-31T09:30:00.999Z')
    const request = await createTestCallback({ url, lead_id, event, secret, at, id: 'cb_1' })
    expect([request.headers.get('webhook-id'), request.headers.get('webhook-timestamp')]).toEqual([
      'cb_1',
      '1769851800',
    ])
    const receive = createCallbackReceiver({
      verify: { signature: { secrets: [secret], now: () => at } },
      handle: () => {},
    })
    expect((await receive(request)).status).toBe(200)
  })

  it.each([
    [{ url: 'publisher.example/hunter2' }, 'must be an absolute URL'],
    [{ secret: 'hunter2' }, 'createTestSigningSecret'],
    [{ secret: 'whsec_hunter2' }, 'createTestSigningSecret'],
  ])('rejects %o without repeating it', async (wrong, message) => {
    const making = createTestCallback({ url, lead_id, event, ...wrong })
    await expect(making).rejects.toThrow(message)
    await expect(making).rejects.not.toThrow('hunter2')
  })
})
