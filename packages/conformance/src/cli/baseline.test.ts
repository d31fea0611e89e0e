import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { CaseResult, Outcome } from '../report.ts'
import type { Finding } from '../target.ts'
import { changesSince, readBaseline, writeBaseline } from './baseline.ts'

const folder = mkdtempSync(join(tmpdir(), 'baseline-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'last.json')

const result = (id: string, outcome: Outcome, more: Partial<CaseResult> = {}): CaseResult => ({
  id,
  outcome,
  title: id,
  statements: [],
  weight: 'specification',
  seconds: 0,
  ...more,
})
const finding = (point: 'gender' | 'profile', interpretation: unknown) =>
  ({ point, interpretation, known_by: 'A probe.' }) as Finding

it('keeps what a run could not tell, and the reasons', async () => {
  const before = {
    failed: { skipped: 'Ours.', unrun: 'Ours.', known: 'Ours.', gone: 'Ours.' },
    interpretations: { gender: 'required', profile: 'prose' },
  }
  const cases = [
    result('skipped', 'skipped'),
    result('known', 'known', { reason: 'Ours.' }),
    result('gone', 'passed', { no_longer_known: 'Ours.' }),
    result('new', 'failed'),
    result('fine', 'passed'),
  ]
  const interpretations = [finding('gender', undefined), finding('profile', 'formal')]
  await writeBaseline(file, { cases, interpretations }, before)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    failed: { known: 'Ours.', new: 'Explain this difference.', skipped: 'Ours.', unrun: 'Ours.' },
    interpretations: { gender: 'required', profile: 'formal' },
  })
})

it('compares cases and interpretations with those of the baseline, and leaves out what is not known', () => {
  const before = { failed: {}, interpretations: { gender: 'required', profile: { of: ['prose'] } } }
  const changes = (...interpretations: Finding[]) => changesSince(before, { cases: [], interpretations })
  expect(changes(finding('gender', 'optional'))).toEqual([{ id: 'gender', was: 'required', is: 'optional' }])
  expect(changes(finding('gender', undefined), finding('profile', { of: ['prose'] }))).toEqual([])
  expect(
    changesSince({ failed: {}, interpretations: {} }, { cases: [], interpretations: [finding('gender', 'optional')] }),
  ).toEqual([])
  const cases = [
    result('new', 'failed'),
    result('known', 'known'),
    result('skipped', 'skipped'),
    result('gone', 'passed', { no_longer_known: '' }),
  ]
  expect(changesSince(before, { cases, interpretations: [] }).map(({ id }) => id)).toEqual(['new', 'gone'])
})

it('is created only where the run writes it', async () => {
  const missing = join(folder, 'missing.json')
  expect(await readBaseline(missing, [], true)).toBeUndefined()
  await expect(readBaseline(missing, [], false)).rejects.toThrow('add --update-baseline')
})

it.each([
  ['a list', [], /is not a JSON object/],
  ['other fields', { failed: {}, interpretations: {}, cases: {} }, /is not a baseline: cases /],
  ['a reason that is no text', { failed: { a: 5 }, interpretations: {} }, /is not a baseline: failed/],
  ['an unknown case', { failed: { nonsense: '' }, interpretations: {} }, /names the unknown case "nonsense"/],
])('refuses %s', async (_what, content, message) => {
  writeFileSync(file, JSON.stringify(content))
  await expect(readBaseline(file, ['a'], true)).rejects.toThrow(message)
})
