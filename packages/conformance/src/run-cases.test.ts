import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type ConformanceCase, Mismatch, Unclear } from './case.ts'
import { createTarget } from './create-target.ts'
import { expect as expectations } from './expectations.ts'
import { type CaseResult, createReport, reportJunit, reportText } from './report.ts'
import { runCases } from './run-cases.ts'
import type { TargetResponse } from './target.ts'

const publisher = { publisher_id: 'p', api_key: 'the-key-itself' }
const facts = { baseUrl: 'http://127.0.0.1/api/v1', publisher, product_id: 'x', advertisers: [] }
const target = createTarget({ facts, fetch: async () => new Response('{}') })

const caseOf = (id: string, run: ConformanceCase['run'], more: Partial<ConformanceCase> = {}): ConformanceCase => ({
  id,
  statements: ['2.1/customer'],
  needs: [],
  weight: 'specification',
  run,
  ...more,
})
const passes = caseOf('a/passes', async () => undefined)
const differs = caseOf('a/differs', async () => {
  throw new Mismatch('nothing', `${publisher.api_key} of ana@example.com at /x?token=abc&event=y`)
})

describe('running cases', () => {
  it('returns the outcome of each in order, without throwing', async () => {
    const unclear = caseOf('a/unclear', async () => {
      throw new Unclear('Not here.')
    })
    const crashes = caseOf(
      'open/crashes',
      async () => {
        throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
      },
      { weight: 'interpretation' },
    )
    const lacks = caseOf('a/lacks', async () => expect.fail('It was run.'), { needs: ['callbacks'] })
    const results = await runCases([passes, differs, unclear, crashes, lacks], target, { concurrency: 3 })
    expect(results.map(({ id, outcome, weight, seen, reason }) => [id, outcome, weight, reason ?? seen])).toEqual([
      ['a/passes', 'passed', 'specification', undefined],
      ['a/differs', 'failed', 'specification', '[key] of [e-mail] at /x?token=[token]&event=y'],
      ['a/unclear', 'skipped', 'specification', 'Not here.'],
      ['open/crashes', 'failed', 'interpretation', 'fetch failed: ECONNREFUSED'],
      ['a/lacks', 'skipped', 'specification', expect.stringContaining('--callback-listen')],
    ])
  })

  it('cuts a long response without showing half a key or half an address', async () => {
    const filler = 'x'.repeat(285)
    for (const value of [publisher.api_key, 'ana.anaya@example.com', `/x?token=${'0123456789'.repeat(4)}`]) {
      const response = { status: 500, text: `{"x":"${filler}","y":"${value}","z":1}` } as TargetResponse
      const fails = caseOf('a/fails', async () => expectations.status(response, 200))
      const [result] = await runCases([fails], target)
      expect(result?.seen).toBe(`500 {"x":"${filler}","y":"…`)
    }
  })

  it('refuses an unknown option, and suggests the known one', async () => {
    await expect(runCases([], target, { concurency: 2 } as never)).rejects.toThrow(
      'runCases does not know `concurency`. Use `concurrency`.',
    )
    expect(() => createTarget({ facts, patience: 5 } as never)).toThrow('createTarget does not know `patience`.')
  })

  it('respects the concurrency', async () => {
    let [now, most] = [0, 0]
    const slow = caseOf('a/slow', async () => {
      most = Math.max(most, ++now)
      await new Promise(resolve => setImmediate(resolve))
      now--
    })
    await runCases(Array(10).fill(slow), target, { concurrency: 3 })
    expect(most).toBe(3)
    most = 0
    await runCases(Array(3).fill(slow), target)
    expect(most).toBe(1)
  })
})

describe('a report', () => {
  const result = (id: string, more: Partial<CaseResult>): CaseResult => ({
    id,
    statements: [],
    weight: 'specification',
    outcome: 'passed',
    seconds: 0.5,
    ...more,
  })
  const difference = { expected: '400', seen: '200 "ok"' }
  const cases = [
    result('open/d', { outcome: 'failed', weight: 'interpretation', ...difference }),
    result('2.10/b', { outcome: 'failed', ...difference }),
    result('2.8/a', {}),
    result('2.8/e', { outcome: 'skipped', reason: 'It needs --account.' }),
  ]
  const report = createReport('http://localhost/api/v1', new Date(), cases, [])

  it('fails a build only for violations of the specification', () => {
    expect(report).toMatchObject({ conforms: false, counts: { passed: 1, failed: 2, skipped: 1 } })
    expect(reportJunit(report)).toContain(
      '<testsuites name="conformance" tests="4" failures="1" errors="0" skipped="2">',
    )
  })

  it('fits into 80 columns', () => {
    const known_by = `A lead ${'gets neither a 200 nor a 400 that names it '.repeat(5)}.`
    const findings = [{ point: 'gender', interpretation: undefined, known_by }] as const
    const long = [result('2.8/a', { outcome: 'failed', expected: 'a 400', seen: 'with 499: 200 '.repeat(30) })]
    const text = stripVTControlCharacters(reportText(createReport('http://localhost', new Date(), long, findings)))
    expect(text.split('\n').filter(line => line.length > 80)).toEqual([])
    expect(text).toContain('\ngender                unknown\n  A lead gets neither')
  })

  it("has one suite per section, in the specification's order", () => {
    const names = [...reportJunit(report).matchAll(/<testsuite name="([^"]+)"/g)].map(([, name]) => name)
    expect(names).toEqual(['2.8', '2.10', 'open'])
  })
})

describe('a target', () => {
  it('sends nothing to another host', async () => {
    await expect(async () => target.call('GET', 'http://elsewhere.example/lead')).rejects.toThrow(
      /leave the target's host/,
    )
  })
  it('waits for a response until its time limit, even if fetch ignores the signal', async () => {
    const hanging = createTarget({ facts, fetch: () => new Promise(() => undefined), timeoutMs: 20 })
    await expect(hanging.call('GET', '/lead')).rejects.toThrow('no response within 0.02 s')
  })

  it('stops reading an endless response', async () => {
    let isCancelled = false
    const body = new ReadableStream({
      pull: controller => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        isCancelled = true
      },
    })
    const endless = createTarget({ facts, fetch: async () => new Response(body) })
    await expect(endless.call('GET', '/lead')).rejects.toThrow('a response larger than 1048576 bytes')
    expect(isCancelled).toBe(true)
  })
})
