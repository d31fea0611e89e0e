import { afterEach, expect, it, vi } from 'vitest'
import { run } from './program.ts'

afterEach(() => vi.restoreAllMocks())

it.each<[title: string, args: string[], said: RegExp]>([
  ['no facts', [], /--base-url is missing/],
  ['an unknown flag', ['--nonsense'], /unknown option/],
  ['no such case', ['--list', '--only', 'nothing-like-it'], /No case matches "nothing-like-it"/],
  ['an account that is not there', ['--account', '/nowhere.json'], /Could not read \/nowhere\.json \(ENOENT\)/],
  ['a patience that is none', ['--patience', 'long'], /Expected a number greater than 0/],
  ['a key in the address', ['--base-url', 'http://a:b@localhost/api/v1'], /Expected a URL/],
])('ends with 2 and a sentence: %s', async (_title, args, said) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  expect(await run(args)).toBe(2)
  expect([written.mock.calls, logged.mock.calls].join()).toMatch(said)
})

it('shows help of at most 80 columns, with the exit codes', async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  expect(await run(['--help'])).toBe(0)
  const text = written.mock.calls.map(([chunk]) => chunk).join('')
  expect(text).toContain('Exit codes: 0 ok, 1 failed, 2 usage error')
  expect(text.split('\n').filter(line => line.length > 80)).toEqual([])
})
