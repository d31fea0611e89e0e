import { describe, expect, it } from 'vitest'
import { createGuardedEgress, type Dial } from './guarded-egress.ts'

const signature = { 'webhook-id': 'c', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }

/** What the egress dials, and what it answers. */
async function sendOut(callback: object, allowedHosts: string[] = []) {
  const dialled: Dial[] = []
  const get = async (dial: Dial) => {
    dialled.push(dial)
    return { status: 200 }
  }
  const outbound = { url: 'http://localhost:1/cb', headers: {}, timeoutMs: 1000, ...callback }
  const reply = await createGuardedEgress({ get }, allowedHosts).send(outbound)
  return { dialled, reply }
}

describe('the egress', () => {
  it('dials an allowed target, with the check of its address', async () => {
    const { dialled, reply } = await sendOut({})
    expect(reply).toEqual({ status: 200 })
    const [{ refuseAddress } = expect.fail('Nothing was dialled.')] = dialled
    expect(refuseAddress('127.0.0.1')).toBeUndefined()
    expect(refuseAddress('10.0.0.1')).toBeDefined()
  })

  it('dials nothing where the target is not allowed, and says why', async () => {
    const { dialled, reply } = await sendOut({ url: 'http://example.com/cb' })
    expect(reply).toEqual({ error: expect.stringContaining('--allow-callback-host example.com') })
    expect(dialled).toEqual([])
  })

  it('carries the headers of a signature', async () => {
    const { dialled } = await sendOut({ headers: signature })
    expect(dialled).toMatchObject([{ headers: signature }])
  })

  it.each(['x-email', 'cookie', 'authorization', 'content-type', 'Webhook-Id'])(
    'carries no header %s, and does not repeat its value',
    async name => {
      const { dialled, reply } = await sendOut({ headers: { ...signature, [name]: 'ana@example.com' } })
      expect(reply).toEqual({ error: expect.stringContaining(`no header ${name}`) })
      expect(JSON.stringify(reply)).not.toContain('ana')
      expect(dialled).toEqual([])
    },
  )

  it('hands the dialer nothing but address, headers and time', async () => {
    const { dialled } = await sendOut({ body: 'ana@example.com', lead: { email: 'ana@example.com' } })
    expect(dialled.map(dial => Object.keys(dial).sort())).toEqual([['headers', 'refuseAddress', 'timeoutMs', 'url']])
  })
})
