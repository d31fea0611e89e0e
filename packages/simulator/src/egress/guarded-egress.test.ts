import { describe, expect, it } from 'vitest'
import {
  type CallbackResponse,
  createBackendEgress,
  createClosableEgress,
  createGuardedEgress,
  type Dial,
  type PostDial,
} from './guarded-egress.ts'

const signature = { 'webhook-id': 'c', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }

/** The addresses that the egress dials, and the responses. */
async function sendOut(callback: object, allowedHosts: string[] = []) {
  const dialed: Dial[] = []
  const get = async (dial: Dial) => {
    dialed.push(dial)
    return { status: 200 }
  }
  const outbound = { url: 'http://localhost:1/cb', headers: {}, timeoutMs: 1000, ...callback }
  const reply = await createGuardedEgress({ get }, () => allowedHosts).send(outbound)
  return { dialed, reply }
}

describe('the egress', () => {
  it('dials an allowed target, with the check of its address', async () => {
    const { dialed, reply } = await sendOut({})
    expect(reply).toEqual({ status: 200 })
    const [{ refuseAddress } = expect.fail('Nothing was dialed.')] = dialed
    expect(refuseAddress('127.0.0.1')).toBeUndefined()
    expect(refuseAddress('10.0.0.1')).toBeDefined()
  })

  it('dials nothing if the target is not allowed, and says why', async () => {
    const { dialed, reply } = await sendOut({ url: 'http://example.com/cb' })
    expect(reply).toEqual({ error: expect.stringContaining('--allow-callback-host example.com') })
    expect(dialed).toEqual([])
  })

  it('sends the signature headers', async () => {
    const { dialed } = await sendOut({ headers: signature })
    expect(dialed).toMatchObject([{ headers: signature }])
  })

  it.each(['x-email', 'cookie', 'authorization', 'content-type', 'Webhook-Id'])(
    'sends no header %s, and does not echo its value',
    async name => {
      const { dialed, reply } = await sendOut({ headers: { ...signature, [name]: 'ana@example.com' } })
      expect(reply).toEqual({ error: expect.stringContaining(`no header ${name}`) })
      expect(JSON.stringify(reply)).not.toContain('ana')
      expect(dialed).toEqual([])
    },
  )

  it('passes only address, headers and timeout to the dialer', async () => {
    const { dialed } = await sendOut({ body: 'ana@example.com', lead: { email: 'ana@example.com' } })
    expect(dialed.map(dial => Object.keys(dial).sort())).toEqual([['headers', 'refuseAddress', 'timeoutMs', 'url']])
  })
})

const lead = {
  lead_id: 'l1',
  postback_url: 'http://127.0.0.1:4010/api/v1/lead/l1/status?token=t',
  status_url: 'http://127.0.0.1:4010/api/v1/lead/l1/status',
  amount: 5000,
  term_months: 24,
}

/** The addresses that the egress to back ends dials, and the responses. */
async function forwarding(change: object) {
  const dialed: PostDial[] = []
  const post = async (dial: PostDial) => {
    dialed.push(dial)
    return { status: 201 }
  }
  const request = { url: 'http://localhost:4030/leads', lead, timeoutMs: 1000, ...change }
  return { reply: await createBackendEgress({ post }, () => []).send(request), dialed }
}

describe('the egress to back ends', () => {
  it('posts ids, addresses and figures to this machine, with the check of its address', async () => {
    const { reply, dialed } = await forwarding({ email: 'ana@example.com' })
    expect(reply).toEqual({ status: 201 })
    const [{ refuseAddress, json, ...dial } = expect.fail('Nothing was dialed.')] = dialed
    expect(dial).toEqual({ url: 'http://localhost:4030/leads', timeoutMs: 1000 })
    expect(JSON.parse(json)).toEqual(lead)
    expect(['127.0.0.1', '::1'].map(refuseAddress)).toEqual([undefined, undefined])
    for (const address of ['10.0.0.1', '198.51.100.1', '169.254.169.254']) expect(refuseAddress(address)).toBeDefined()
  })

  it.each([
    'http://advertiser.example/leads',
    'http://10.0.0.1/leads',
    'http://169.254.169.254/',
    'http://127.0.0.1.advertiser.example/',
    'http://[64:ff9b::7f00:1]/',
    'http://me@127.0.0.1/',
    'file:///etc/passwd',
    'leads',
  ])('posts nothing to %s, and says why', async url => {
    const { reply, dialed } = await forwarding({ url })
    expect(reply).toEqual({ error: expect.stringMatching(/^not sent: the back end's URL (goes to|must) /) })
    expect(dialed).toEqual([])
  })

  it.each(['customer', 'email', 'submission', 'api_key'])(
    'does not send a field %s, and does not echo it',
    async name => {
      const { reply, dialed } = await forwarding({ lead: { ...lead, [name]: 'ana@example.com' } })
      expect(reply).toEqual({ error: `not sent: a back end receives no field ${name}` })
      expect(dialed).toEqual([])
    },
  )
})

const outbound = { url: 'http://127.0.0.1:1/', headers: {}, timeoutMs: 1 }

/** An egress with a receiver that the test controls. */
function slowReceiver() {
  const reply = Promise.withResolvers<CallbackResponse>()
  let sent = 0
  const egress = createClosableEgress({
    send: () => {
      sent += 1
      return reply.promise
    },
  })
  return {
    egress,
    answer: () => reply.resolve({ status: 200 }),
    sent: () => sent,
    send: () => egress.send(outbound),
  }
}

describe('a closable egress', () => {
  it('passes on responses while it is open', async () => {
    const { send, answer } = slowReceiver()
    const sent = send()
    answer()
    expect(await sent).toEqual({ status: 200 })
  })

  it('aborts requests in flight when closed, and sends nothing until reopened', async () => {
    const { egress, send, sent, answer } = slowReceiver()
    const inFlight = send()
    await egress.closedWhile(async () => {
      expect(await inFlight).toEqual({ error: expect.stringContaining('restored or reset') })
      expect(await send()).toEqual({ error: expect.stringContaining('restored or reset') })
      expect(sent()).toBe(1)
    })
    const after = send()
    answer()
    expect([await after, sent()]).toEqual([{ status: 200 }, 2])
  })

  it('reopens after a failure', async () => {
    const { egress, send, answer } = slowReceiver()
    await expect(egress.closedWhile(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    answer()
    expect(await send()).toEqual({ status: 200 })
  })
})
