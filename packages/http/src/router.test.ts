import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRouter } from './router.ts'

const route = createRouter({
  submit: { methods: ['POST'], path: '/lead' },
  report: { methods: ['POST', 'PATCH'], path: '/lead/:lead_id/status' },
  pixel: { methods: ['GET'], path: '/lead/:lead_id/status' },
  show: { methods: ['GET'], path: '/leads/:lead_id' },
  explain: { methods: ['POST'], path: '/leads/explain' },
})

describe('routing', () => {
  it('finds the operation for a path and a method', () => {
    expect(route('POST', '/lead')).toEqual({ operation: 'submit', params: {} })
    expect(route('PATCH', '/lead/a/status')).toEqual({ operation: 'report', params: { lead_id: 'a' } })
    expect(route('GET', '/lead/a/status')).toEqual({ operation: 'pixel', params: { lead_id: 'a' } })
  })

  it.each(['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'get', 'post', ''])(
    'treats the method %j literally',
    method => {
      expect(route(method, '/lead')).toEqual({ allow: ['POST'] })
      expect(route(method, '/lead/a/status')).toEqual({ allow: ['POST', 'PATCH', 'GET'] })
    },
  )

  it('handles a HEAD as a GET where enabled, and lists it among the methods', () => {
    const table = { show: { methods: ['GET'], path: '/a' }, record: { methods: ['GET'], path: '/b' } }
    const withHead = createRouter(table, name => name === 'show')
    expect(withHead('HEAD', '/a')).toEqual({ operation: 'show', params: {} })
    expect(withHead('POST', '/a')).toEqual({ allow: ['GET', 'HEAD'] })
    expect(withHead('HEAD', '/b')).toEqual({ allow: ['GET'] })
  })

  it.each([
    ['a trailing slash', '/lead/'],
    ['a double slash', '//lead'],
    ['a double slash inside', '/lead//status'],
    ['another letter case', '/Lead'],
    ['an escaped letter', '/le%61d'],
    ['a malformed escape', '/lead/%E0%A4%A/status'],
    ['an escape that is not UTF-8', '/lead/%ff/status'],
    ['a single percent sign', '/lead/%/status'],
    ['one segment too many', '/lead/a/status/b'],
    ['a dot segment', '/lead/../lead'],
    ['nothing', ''],
    ['the root', '/'],
  ])('finds no operation for a path with %s', (_title, path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) expect(route(method, path)).toBeUndefined()
  })

  it('decodes a parameter once, without splitting a segment at an escaped slash', () => {
    expect(route('GET', '/lead/a%2Fb%2525/status')).toEqual({ operation: 'pixel', params: { lead_id: 'a/b%25' } })
  })

  it('prefers a literal path over a parameter', () => {
    expect(route('POST', '/leads/explain')).toEqual({ operation: 'explain', params: {} })
    expect(route('GET', '/leads/explain')).toEqual({ allow: ['POST'] })
  })

  it('never throws', async () => {
    await fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.webPath(), fc.constantFrom('GET', 'POST'), (text, path, method) => {
        for (const each of [text, path, `/lead/${text}/status`]) expect(() => route(method, each)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  }, 60_000)
})
