import { describe, expect, it } from 'vitest'
import { createCallbackReceiver, verifyCallback } from '../callbacks.ts'
import { createTestCallback, createTestSigningSecret } from '../testing.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const query = `?lead_id=${lead_id}&event=approved`

async function statusFrom(allowedIps: readonly string[], ip: string | undefined) {
  const receive = createCallbackReceiver({ verify: 'none', handle: () => {}, allowedIps })
  return (await receive(new Request(`https://publisher.example/${query}`), { ip })).status
}

describe('an address', () => {
  it.each([
    [['203.0.113.7'], '203.0.113.7', 200],
    [['203.0.113.7'], '203.0.113.8', 403],
    [['203.0.113.0/24'], '203.0.113.0', 200],
    [['203.0.113.0/24'], '203.0.113.255', 200],
    [['203.0.113.0/24'], '203.0.114.0', 403],
    [['203.0.113.0/24'], '203.0.112.255', 403],
    [['198.51.100.7', '203.0.113.0/24'], '::ffff:203.0.113.9', 200],
    [['2001:db8::7'], '2001:db8::7', 200],
    [['2001:db8::7'], '2001:db8::8', 403],
    [['2001:DB8::7'], '2001:db8:0:0:0:0:0:7', 200],
    [['2001:0db8:0000::0007'], '2001:db8::7', 200],
    [['::ffff:203.0.113.7'], '203.0.113.7', 200],
    [['203.0.113.7'], '::ffff:cb00:7107', 200],
    [['fe80::1'], 'fe80::1%eth0', 200],
    [['::', '203.0.113.7'], '::1', 403],
    [['203.0.113.7'], '203.0.113.7, 198.51.100.7', 403],
    [['203.0.113.7'], '', 403],
    [['203.0.113.7'], undefined, 403],
    [[], '203.0.113.7', 403],
  ])('of %o and the peer %s: %i', async (allowed, ip, status) => expect(await statusFrom(allowed, ip)).toBe(status))
})

it.each(['203.0.113.256', '203.0.113.0/33', 'publisher.example', '', '2001:db8::/32', '1:2:3', '::1%eth0', 'abc'])(
  'refuses to allow %o',
  allowed => {
    const create = () => createCallbackReceiver({ verify: 'none', handle: () => {}, allowedIps: [allowed] })
    expect(create).toThrow('`allowedIps` must be')
  },
)

it.each(['203.0.113.7', '', null, [7]])('refuses %o, which is no list of texts', allowed => {
  const options = { verify: 'none', handle: () => {}, allowedIps: allowed as never } as const
  expect(() => createCallbackReceiver(options)).toThrow('`allowedIps` must be a list')
})

it('reports an unknown address where the adapter gave none', async () => {
  const reasons: string[] = []
  const onRefusal = ({ reason }: { reason: string }) => void reasons.push(reason)
  const receive = createCallbackReceiver({ verify: 'none', handle: () => {}, allowedIps: ['203.0.113.7'], onRefusal })
  await receive(new Request(`https://publisher.example/${query}`))
  expect(reasons).toEqual(['the address it came from is not known: pass it on'])
})

it.each(['x', '5', Number.NaN, -1, null])('refuses the tolerance %o', toleranceSeconds => {
  const signature = { secrets: [`whsec_${btoa('s'.repeat(32))}`], toleranceSeconds: toleranceSeconds as never }
  const create = () => createCallbackReceiver({ verify: { signature }, handle: () => {} })
  expect(create).toThrow('`signature.toleranceSeconds` must be a number')
})

describe('the time of a signature', () => {
  const secret = createTestSigningSecret()
  const at = new Date('2026-06-15T12:00:00Z')
  const callback = { url: 'https://publisher.example/callbacks', secret, at, lead_id, event: 'approved' }
  const isTaken = async (toleranceSeconds: number | undefined, secondsLater: number) => {
    const now = () => new Date(at.getTime() + secondsLater * 1000)
    const verify = { signature: { secrets: [secret], toleranceSeconds, now } }
    return verifyCallback(await createTestCallback(callback), { verify }).then(
      () => true,
      error => (error.status === 401 ? false : Promise.reject(error)),
    )
  }

  it.each([
    [0, 0, true],
    [0, 1, false],
    [0, -1, false],
    [0, 0.001, false],
    [5, 5, true],
    [5, -5, true],
    [5, 5.001, false],
    [5, -5.001, false],
    [undefined, 300, true],
    [undefined, -300, true],
    [undefined, 301, false],
    [undefined, -301, false],
    [Number.POSITIVE_INFINITY, 1e9, true],
  ])('with a tolerance of %s seconds, and %s seconds later, is right: %s', async (tolerance, later, taken) =>
    expect(await isTaken(tolerance, later)).toBe(taken),
  )
})
