import { describe, expect, it } from 'vitest'
import { calls, callWords, clientOf, faultOf } from './calls.fixture.ts'
import { leaks } from './planted.fixture.ts'
import { replies } from './steps.fixture.ts'
import { startWireServer } from './wire-server.fixture.ts'

const codes = { 301: 'protocol', 302: 'protocol', 303: 'protocol', 307: 'protocol', 308: 'protocol' } as const

/** Where a redirect may point: another origin in every spelling, and the very same. */
const targets: Record<string, (other: string, own: string, target: string) => string> = {
  'another origin': (other, _own, target) => other + target,
  'another origin without a scheme': (other, _own, target) => other.replace('http:', '') + target,
  'another name of this machine': (other, _own, target) => other.replace('127.0.0.1', 'localhost') + target,
  'its own origin': (_other, own, target) => own + target,
  'its own origin, by path': (_other, _own, target) => target,
}

describe.each(callWords)('%s', word => {
  const { make, once, fine } = calls[word]

  it.each(Object.keys(targets))('follows no redirect to %s, so that key and token stay here', async name => {
    const other = await startWireServer(replies(200, fine))
    for (const status of [301, 302, 303, 307, 308] as const) {
      const server = await startWireServer((socket, request) => {
        const location = targets[name]?.(other.origin, server.origin, request.target) ?? ''
        replies(status, '', { location })(socket, request)
      })
      const { client, events } = clientOf(server.baseUrl)
      const error = await faultOf(make({ client }))
      // What 302 and 303 say is not that nothing was processed.
      const unknown = once && (status === 302 || status === 303)
      expect(error.code).toBe(unknown ? 'outcome_unknown' : codes[status])
      expect(error.message).toContain(`${status}`)
      expect([...leaks(error), ...leaks(events)]).toEqual([])
      expect(server.reached).toHaveLength(1)
    }
    expect(other.connections()).toBe(0)
  })
})
