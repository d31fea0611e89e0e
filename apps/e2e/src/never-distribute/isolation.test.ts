import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'

/** Set by `.ci/isolated`, which runs the tests in their own network namespace. */
const isolated = process.env.NETWORK_ISOLATED === '1'
const state = isolated ? 'isolated' : 'skipped, since this run is not isolated: .ci/isolated npm test'

// Without isolation, an attempt would itself be the forbidden traffic.
describe.runIf(isolated)(`the network of this test run (${state})`, () => {
  it('has loopback and no other interface', () => {
    expect(Object.keys(networkInterfaces())).toEqual(['lo'])
  })

  // Two documentation addresses (RFC 5737, 3849), a public one, a private one, and the cloud metadata service.
  it.each(['192.0.2.1', '2001:db8::1', '1.1.1.1', '10.0.0.1', '169.254.169.254'])('has no route to %s', async host => {
    const [error] = await once(
      connect({ host, port: 80 }).on('connect', () => undefined),
      'error',
    )
    expect(['ENETUNREACH', 'EADDRNOTAVAIL']).toContain(error.code)
  })
})
