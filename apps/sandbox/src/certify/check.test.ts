import { expect, it } from 'vitest'
import { type Check, passed, runChecks } from './check.ts'

const check = (id: string, rounds: 'each' | 'first' = 'each'): Check<string> => ({
  id,
  spec: '4.1',
  expected: 'It does well.',
  fix: 'Fix it.',
  rounds,
  run: async context => passed(`Seen under ${context}.`),
})
const checks = [check('a'), check('b', 'first'), check('c')]
const ran = async (plan: object = {}) => {
  const enter = async (profile: string) => profile
  const results = await runChecks<string>({ checks, profiles: ['prose', 'formal'], enter, ...plan })
  return results.map(({ id, seen }) => `${id}: ${seen}`)
}

it('runs each check in each round, and those that every profile interprets the same only in the first', async () => {
  expect(await ran()).toEqual([
    'a: Seen under prose.',
    'b: Seen under prose.',
    'c: Seen under prose.',
    'a: Seen under formal.',
    'c: Seen under formal.',
  ])
  expect(await ran({ profiles: ['formal'], only: ['b'] })).toEqual(['b: Seen under formal.'])
})
