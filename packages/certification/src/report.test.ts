import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import type { Certification } from './certify.ts'
import type { CheckResult } from './check.ts'
import { certificationJunit, certificationMarkdown, checklist } from './report.ts'

const check = (id: string, more: Partial<CheckResult> = {}): CheckResult => ({
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
const certification: Certification = {
  report: 1,
  certify: 'publisher',
  application: 'shop | 2\n4',
  sandbox: '1.2.3',
  at: '2026-01-01T00:00:00.000Z',
  profiles: ['prose', 'formal'],
  passed: 1,
  failed: 1,
  not_seen: 1,
  checks: [
    check('a'),
    check('b', { verdict: 'failed', seen: 'It was <not>.' }),
    check('a', { profile: 'formal', verdict: 'not_seen', seen: 'Give --more.' }),
  ],
}

it('shows what was seen and how to fix it, and counts checks that were not seen separately', () => {
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

it.each([
  '<testsuites name="certify publisher" tests="3" failures="1" errors="0" skipped="1">',
  '<testsuite name="formal" tests="1" failures="0" errors="0" skipped="1">',
  '<failure type="b" message="It was &#60;not&#62;.">',
  '<skipped message="Give --more."/>',
])('formats JUnit XML with a suite for each profile: %s', part => {
  expect(certificationJunit(certification)).toContain(part)
})

it.each([
  '# Certification of shop \\| 2 4',
  '- Run by: lead-sandbox 1.2.3, profiles prose and formal',
  '| `a` | prose | a is well. | 4.1 | ✓ passed |',
  '| `b` | prose | b is well. | 4.1 | ✗ **failed** |',
  '| `a` | formal | a is well. | 4.1 | – not seen |',
  '- `b` (prose): It was <not>. Fix it | so.',
  '- `a`: Give --more.',
])('formats Markdown with a table that no text breaks: %s', line => {
  expect(certificationMarkdown(certification).split('\n')).toContain(line)
})
