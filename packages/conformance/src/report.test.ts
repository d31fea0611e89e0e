import { expect, it } from 'vitest'
import { type CaseResult, createReport, reportJunit } from './report.ts'

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

it('fails a build only by breaches, and by other interpretations where that is asked for', () => {
  expect(report).toMatchObject({ conforms: false, counts: { passed: 1, failed: 2, known: 1, skipped: 1 } })
  expect(reportJunit(report)).toContain('<testsuites name="conformance" tests="5" failures="1" errors="0" skipped="3">')
  expect(reportJunit(report, true)).toContain('tests="5" failures="2" errors="0" skipped="2"')
})

it('has a suite for each section, in the order of the specification', () => {
  const names = [...reportJunit(report).matchAll(/<testsuite name="([^"]+)"/g)].map(([, name]) => name)
  expect(names).toEqual(['2.8', '2.10', 'open'])
})
