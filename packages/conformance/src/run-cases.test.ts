import { describe, expect, it } from 'vitest'
import { type ConformanceCase, Mismatch, Unclear } from './conformance-case.ts'
import { createTarget } from './create-target.ts'
import { expectStatus } from './expectations.ts'
import { type CaseResult, createReport, reportJunit } from './report.ts'
import { runCases } from './run-cases.ts'
import type { TargetResponse } from './target.ts'

const publisher = { publisher_id: 'p', api_key: 'the-key-itself' }
const facts = { baseUrl: 'http://127.0.0.1/api/v1', publisher, product_id: 'x', advertisers: [] }
const target = createTarget({ facts, fetch: async () => new Response('{}') })

const caseOf = (id: string, run: ConformanceCase['run'], more: Partial<ConformanceCase> = {}): ConformanceCase => ({
  id,
  title: id,
  statements: ['2.1/customer'],
  run,
  ...more,
})
const passes = caseOf('a/passes', async () => undefined)
const differs = caseOf('a/differs', async () => {
  throw new Mismatch('nothing', `${publisher.api_key} of ana@example.com at /x?token=abc&event=y`)
})

describe('running cases', () => {
  it('returns the outcome of each in order and throws nothing', async () => {
    const unclear = caseOf('a/unclear', async () => {
      throw new Unclear('Not here.')
    })
    const crashes = caseOf('open/crashes', async () => {
      throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    })
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

  it('shows no half of a key or an address where a response is too long to be shown whole', async () => {
    const filler = 'x'.repeat(285)
    for (const value of [publisher.api_key, 'ana.anaya@example.com', `/x?token=${'0123456789'.repeat(4)}`]) {
      const response = { status: 500, text: `{"x":"${filler}","y":"${value}","z":1}` } as TargetResponse
      const fails = caseOf('a/fails', async () => expectStatus(response, 200))
      const [result] = await runCases([fails], target)
      expect(result?.seen).toBe(`500 {"x":"${filler}","y":"…`)
    }
  })

  it('recognizes a difference in the baseline and reports one that is gone', async () => {
    const baseline = { 'a/differs': 'on purpose', 'a/passes': 'no longer' }
    const [gone, known] = await runCases([passes, differs], target, { baseline })
    expect(known).toMatchObject({ outcome: 'known', reason: 'on purpose' })
    expect(gone).toMatchObject({ outcome: 'passed', no_longer_known: 'no longer' })
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
    title: `does <${id}>`,
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
    result('2.8/c', { outcome: 'known', reason: 'on purpose', ...difference }),
    result('2.8/e', { outcome: 'skipped', reason: 'It needs --account.' }),
  ]
  const report = createReport({ base_url: 'http://localhost/api/v1', started: new Date(), cases, interpretations: [] })

  it('fails a build for breaches, and for other interpretations only if strict', () => {
    expect(report).toMatchObject({ conforms: false, counts: { passed: 1, failed: 2, known: 1, skipped: 1 } })
    expect(reportJunit(report)).toContain(
      '<testsuites name="conformance" tests="5" failures="1" errors="0" skipped="3">',
    )
    expect(reportJunit(report, true)).toContain('tests="5" failures="2" errors="0" skipped="2"')
  })

  it('has a suite for each section, in the order of the specification', () => {
    const names = [...reportJunit(report).matchAll(/<testsuite name="([^"]+)"/g)].map(([, name]) => name)
    expect(names).toEqual(['2.8', '2.10', 'open'])
  })
})

describe('a target', () => {
  it('sends nothing to another host', async () => {
    await expect(async () => target.call('GET', 'http://elsewhere.example/lead')).rejects.toThrow(/leave the host/)
  })
})
