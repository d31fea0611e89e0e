import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { type Check, type CheckResult, passed, runChecks } from './check.ts'
import { certificationJunit, certificationMarkdown, checklist, createCertification } from './report.ts'

const check = (id: string, more: Partial<CheckResult>): CheckResult => ({
  id,
  profile: 'prose',
  spec: '4.1',
  expected: `${id} is well.`,
  fix: 'Fix it | so.',
  verdict: 'passed',
  seen: 'It was.',
  seconds: 0.5,
  ...more,
})
const head = {
  certify: 'publisher',
  sandbox: '1.2.3',
  at: '2026-01-01T00:00:00.000Z',
  profiles: ['prose', 'formal'],
} as const
const certification = createCertification({ ...head, application: 'shop | 2\n4' }, [
  check('a', {}),
  check('b', { verdict: 'failed', seen: 'It was <not>.' }),
  check('a', { profile: 'formal', verdict: 'not_seen', seen: 'Give --more.' }),
])

it('counts the outcomes of the checks, under a version of its shape', () => {
  expect(certification).toMatchObject({ report: 1, passed: 1, failed: 1, not_seen: 1, application: 'shop | 2\n4' })
})

it('shows people what was seen and how to fix it, and that what was not seen is not passed', () => {
  expect(stripVTControlCharacters(checklist(certification))).toBe(`Profile prose
✓ a  a is well.
✗ b  b is well.
    It was <not>.
    Fix it | so. (Spec 4.1)

Profile formal
– a  a is well.

– Give --more.
    a

1 passed, 1 failed, 1 not seen (the reasons are listed above).`)
})

it('is a JUnit document with a suite for each profile', () => {
  const junit = certificationJunit(certification)
  expect(junit).toContain('<testsuites name="certify publisher" tests="3" failures="1" errors="0" skipped="1">')
  expect(junit).toContain('<testsuite name="formal" tests="1" failures="0" errors="0" skipped="1">')
  expect(junit).toContain('<failure type="b" message="It was &#60;not&#62;.">')
  expect(junit).toContain('<skipped message="Give --more."/>')
})

it('is Markdown with a table that no text breaks', () => {
  const lines = certificationMarkdown(certification).split('\n')
  expect(lines[0]).toBe('# Certification of shop \\| 2 4')
  expect(lines).toContain('- Run by: lead-sandbox 1.2.3, profiles prose and formal')
  expect(lines.filter(line => line.startsWith('| `'))).toEqual([
    '| `a` | prose | a is well. | 4.1 | ✓ passed |',
    '| `b` | prose | b is well. | 4.1 | ✗ **failed** |',
    '| `a` | formal | a is well. | 4.1 | – not seen |',
  ])
  expect(lines).toContain('- `b` (prose): It was <not>. Fix it | so.')
  expect(lines).toContain('- `a`: Give --more.')
})

const checkOf = (id: string, rounds: 'each' | 'first' = 'each'): Check<string> => ({
  id,
  spec: '4.1',
  expected: 'It does well.',
  fix: 'Fix it.',
  rounds,
  run: async context => passed(`Seen under ${context}.`),
})
const someChecks = [checkOf('a'), checkOf('b', 'first'), checkOf('c')]
const ran = async (plan: object = {}) => {
  const enter = async (profile: string) => profile
  const results = await runChecks<string>({ checks: someChecks, profiles: ['prose', 'formal'], enter, ...plan })
  return results.map(({ id, seen }) => `${id}: ${seen}`)
}

it('runs each checkOf in each round, and those that every profile interprets the same only in the first', async () => {
  expect(await ran()).toEqual([
    'a: Seen under prose.',
    'b: Seen under prose.',
    'c: Seen under prose.',
    'a: Seen under formal.',
    'c: Seen under formal.',
  ])
  expect(await ran({ profiles: ['formal'], only: ['b'] })).toEqual(['b: Seen under formal.'])
})
