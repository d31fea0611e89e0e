import { isIP } from 'node:net'
import { type Dial, refuseDialedAddress } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { type Listener, openListener, watchDialedAddresses } from './listener.fixture.ts'
import { createNodeDialer, type Resolve } from './node-dialer.ts'

/** From the documentation network (RFC 5737): allowed by name, and unassigned. */
const allowed = '198.51.100.1'
const metadata = '169.254.169.254'
const thisMachine = '127.0.0.1'

/** Creates a resolver that returns these answers in turn, repeating the last one, and counts the lookups. */
function resolverOf(...answers: string[][]) {
  const asked: string[] = []
  const resolve = (hostname: string, _options: unknown, callback: (error: null, addresses: object[]) => void) => {
    const answer = answers[Math.min(asked.push(hostname), answers.length) - 1] ?? []
    setImmediate(
      callback,
      null,
      answer.map(address => ({ address, family: isIP(address) })),
    )
  }
  return { asked, resolve: resolve as unknown as Resolve }
}

function dialOf(hostname: string, { port }: Listener): Dial {
  const url = `http://${hostname}:${port}/cb`
  return {
    url,
    headers: {},
    timeoutMs: 400,
    refuseAddress: address => refuseDialedAddress(new URL(url), address),
  }
}

describe('a resolver that lies', () => {
  it('is asked once per connection, so that later answers change nothing', async () => {
    await using trap = await openListener()
    const { asked, resolve } = resolverOf([allowed], [thisMachine])
    using watch = watchDialedAddresses()
    const dialer = createNodeDialer({ resolve })
    expect(await dialer.get(dialOf('qa.example', trap))).toEqual({ error: expect.any(String) })
    expect([asked, watch.addresses]).toEqual([['qa.example'], [allowed]])
    expect(await dialer.get(dialOf('qa.example', trap))).toEqual({
      error: expect.stringContaining('no flag allows it'),
    })
    expect([asked.length, watch.addresses, trap.heard]).toEqual([2, [allowed], []])
  })

  it.each([[[thisMachine, allowed]], [[allowed, thisMachine]], [[allowed, '::ffff:127.0.0.1', '::1', metadata]]])(
    'gets only the allowed addresses of a mixed answer contacted: %j',
    async answer => {
      await using trap = await openListener()
      using watch = watchDialedAddresses()
      const dialer = createNodeDialer(resolverOf(answer))
      // Long enough for Happy Eyeballs to try every further address, 250 ms apart.
      expect(await dialer.get({ ...dialOf('qa.example', trap), timeoutMs: 1200 })).toHaveProperty('error')
      expect([watch.addresses, trap.heard]).toEqual([[allowed], []])
    },
  )

  it.each([
    ['qa.example', thisMachine],
    ['qa.example', '::1'],
    ['qa.example', metadata],
    ['qa.example', '::ffff:a9fe:a9fe'],
    ['qa.example', '64:ff9b::a9fe:a9fe'],
    ['qa.example', '0.0.0.0'],
  ])('opens no connection if %s resolves to %s', async (hostname, address) => {
    await using trap = await openListener()
    using watch = watchDialedAddresses()
    const { error } = await createNodeDialer(resolverOf([address])).get(dialOf(hostname, trap))
    expect(error).toContain(`not sent: ${hostname} has the address ${address}`)
    expect([watch.addresses, trap.heard]).toEqual([[], []])
  })

  it.each([[[]], [['localhost']], [['0x7f000001']], [['']]])('opens no connection for the answer %j', async answer => {
    await using trap = await openListener()
    using watch = watchDialedAddresses()
    const { error } = await createNodeDialer(resolverOf(answer)).get(dialOf('qa.example', trap))
    expect(error).toMatch(/host not found|no flag allows it/)
    expect([watch.addresses, trap.heard]).toEqual([[], []])
  })

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'qa.localhost', 'a.b.LocalHost.'])(
    'is not asked for %s, which is always this machine',
    async host => {
      await using receiver = await openListener()
      const { asked, resolve } = resolverOf([allowed], [metadata])
      using watch = watchDialedAddresses()
      const { hostname } = new URL(`http://${host}/`)
      expect(await createNodeDialer({ resolve }).get(dialOf(hostname, receiver))).toMatchObject({ status: 200 })
      expect([asked, watch.addresses]).toEqual([[], [thisMachine]])
    },
  )
})

describe('a name server that does not respond', () => {
  /** A resolver that answers for one name, answers others when the test lets it, and records its lookups. */
  function hangingResolver(answered: string, address: string) {
    const asked: string[] = []
    const later: (() => void)[] = []
    const resolve = (hostname: string, _options: unknown, callback: (error: null, addresses: object[]) => void) => {
      asked.push(hostname)
      const answer = () => callback(null, [{ address, family: 4 }])
      if (hostname === answered) setImmediate(answer)
      else later.push(answer)
    }
    return {
      asked,
      answerAll: () => later.splice(0).forEach(answer => void answer()),
      resolve: resolve as unknown as Resolve,
    }
  }

  /** Connects to this machine under an allowed name, which no sandbox does. */
  const anyAddress = (dial: Dial): Dial => ({ ...dial, timeoutMs: 60_000, refuseAddress: () => undefined })

  it('fails after the time limit, with one lookup for all callers and no delay for other names', async () => {
    await using receiver = await openListener()
    const { asked, resolve } = hangingResolver('live.example', thisMachine)
    const dialer = createNodeDialer({ resolve, lookUpMs: 200 })
    const dead = Array.from({ length: 100 }, () => dialer.get(anyAddress(dialOf('dead.example', receiver))))
    expect(await dialer.get(anyAddress(dialOf('live.example', receiver)))).toMatchObject({ status: 200 })
    const errors = new Set((await Promise.all(dead)).map(({ error }) => error))
    expect([...errors]).toEqual(['no address of dead.example within 200 ms'])
    expect(asked.filter(name => name === 'dead.example')).toEqual(['dead.example'])
  })

  it('is asked again after its late answer, which is discarded', async () => {
    await using receiver = await openListener()
    const { asked, answerAll, resolve } = hangingResolver('', thisMachine)
    const dialer = createNodeDialer({ resolve, lookUpMs: 20 })
    const dial = () => dialer.get(anyAddress(dialOf('dead.example', receiver)))
    expect([await dial(), await dial(), asked.length]).toMatchObject([{ error: /within/ }, { error: /within/ }, 1])
    answerAll()
    await new Promise(resolve => setImmediate(resolve))
    const again = dial()
    await expect.poll(() => asked.length).toBe(2)
    answerAll()
    expect(await again).toMatchObject({ status: 200 })
  })
})

it('is not asked for a literal address; a forbidden one is never contacted', async () => {
  await using trap = await openListener()
  using watch = watchDialedAddresses()
  const { asked, resolve } = resolverOf([thisMachine])
  for (const host of [
    metadata,
    '0.0.0.0',
    '2852039166',
    '0x0',
    '[::]',
    '[::ffff:169.254.169.254]',
    '[fd00:ec2::254]',
  ]) {
    const { hostname } = new URL(`http://${host}/`)
    const { error } = await createNodeDialer({ resolve }).get(dialOf(hostname, trap))
    expect(error).toContain('not sent')
  }
  expect([asked, watch.addresses, trap.heard]).toEqual([[], [], []])
})
