import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { foreignNamesOf, impuritiesOf } from './pure-source.ts'
import { isTest, sources } from './sources.ts'

describe('impuritiesOf', () => {
  it('finds each of them', () =>
    eachRow(
      [
        ['const f = () => Date.now()', 'Date.now'],
        ['const f = () => globalThis.Date.now()', 'Date.now'],
        ['const now = Date.now', 'Date.now'],
        ['const f = () => new Date()', 'new Date()'],
        ['const f = () => new Date', 'new Date()'],
        ['const f = () => Date()', 'Date()'],
        ['const f = () => Math.random()', 'Math.random'],
        ['const f = () => crypto.randomUUID()', 'crypto.randomUUID'],
        ['const f = () => globalThis.crypto.getRandomValues(new Uint8Array(4))', 'crypto.getRandomValues'],
        ['const f = () => performance.now()', 'performance.now'],
        ['setTimeout(f, 5)', 'setTimeout'],
        ['globalThis.setInterval(f, 5)', 'setInterval'],
        ['let counter = 0', 'a variable of the module that can be assigned'],
        ['export var counter = 0', 'a variable of the module that can be assigned'],
        ['const seen = new Map<string, number>()', 'a Map of the module that is not typed as read-only'],
        ["const seen: Set<string> = new Set(['a'])", 'a Set of the module that is not typed as read-only'],
        ['const held = new WeakMap()', 'a WeakMap of the module that is not typed as read-only'],
        ['const list: string[] = []', 'an empty collection of the module that is not typed as read-only'],
        [
          'const byName: Record<string, string> = {}',
          'an empty collection of the module that is not typed as read-only',
        ],
      ],
      (text, what) => {
        expect(impuritiesOf(text)).toEqual([{ line: 1, what }])
      },
    ))

  it('lets pass what only looks like one', () =>
    eachRow(
      [
        ['const f = (now: number) => new Date(now)'],
        ['const f = () => { let sum = 0; sum += 1; return new Map() }'],
        ["const words: ReadonlySet<string> = new Set(['a'])"],
        ['const none: readonly string[] = []'],
        ['const f = (clock: Clock) => clock.setTimeout(1)'],
        ['const date = { now: 1 }; const x = date.now'],
        ["const words = ['a', 'b'] as const"],
        ['const key = () => crypto.subtle'],
      ],
      text => {
        expect(impuritiesOf(text)).toEqual([])
      },
    ))

  it('reports the line', () => {
    expect(impuritiesOf('const a = 1\n\nexport const f = () => Math.random()')).toEqual([
      { line: 3, what: 'Math.random' },
    ])
  })
})

const pure = sources.filter(({ path }) => /^packages\/(engine|simulator)\/src\//.test(path) && !isTest(path))

it.each(['engine', 'simulator'])('has sources of the %s to look at', name => {
  expect(pure.filter(({ path }) => path.startsWith(`packages/${name}/`)).length).toBeGreaterThan(5)
})

it('takes time, ids and random numbers through ports, and holds no state', () => {
  const found = pure.flatMap(({ path, text }) => impuritiesOf(text).map(({ line, what }) => `${path}:${line}: ${what}`))
  expect(found).toEqual([])
})

describe('foreignNamesOf', () => {
  it('finds a name of HTTP or of the sandbox', () =>
    eachRow(
      [
        ["import { wireError } from '@lead-distribution/contract'", 'wireError, of HTTP'],
        ['const f = (query: URLSearchParams) => query', 'URLSearchParams, of HTTP'],
        ['const reply = { headers: {} }', 'headers, of HTTP'],
        ['const ok = (n: number) => n === 200', '200, a status of HTTP'],
        ['interface A { fault_id: string }', 'fault_id, of the sandbox'],
        ['const a = { held: true }', 'held, of the sandbox'],
        ['function postponeCallback() {}', 'postponeCallback, of the sandbox'],
      ],
      (text, what) => {
        expect(foreignNamesOf(text)).toContainEqual({ line: 1, what })
      },
    ))

  it('accepts what only looks like one', () =>
    eachRow(
      [
        ["const a = z.enum(['http_422', 'rejected_200'])"],
        ['const defaultMs = 1000'],
        ['const c: ErrorCode = "unauthorized"'],
      ],
      text => {
        expect(foreignNamesOf(text)).toEqual([])
      },
    ))
})

it('keeps the engine free of HTTP and of the sandbox', () => {
  const engine = pure.filter(({ path }) => path.startsWith('packages/engine/'))
  expect(engine.flatMap(({ path, text }) => foreignNamesOf(text).map(found => ({ path, ...found })))).toEqual([])
})
