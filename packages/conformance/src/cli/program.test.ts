import { afterEach, expect, it, vi } from 'vitest'
import { run } from './program.ts'

afterEach(() => vi.restoreAllMocks())

it.each<[title: string, args: string[], said: RegExp]>([
  ['no facts', [], /--base-url is missing/],
  ['an unknown flag', ['--nonsense'], /unknown option/],
  ['no such case', ['--list', '--only', 'nothing-like-it'], /No case matches "nothing-like-it"/],
  ['a missing account file', ['--account', '/nowhere.json'], /Could not read \/nowhere\.json \(ENOENT\)/],
  ['an invalid patience', ['--patience', 'long'], /Expected a number greater than 0/],
  ['a key in the base URL', ['--base-url', 'http://a:b@localhost/api/v1'], /Expected a URL/],
])('exits with 2 and an explanation: %s', async (_title, args, said) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  expect(await run(args)).toBe(2)
  expect([written.mock.calls, logged.mock.calls].join()).toMatch(said)
})

it('prints help of at most 80 columns, including the exit codes', async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  expect(await run(['--help'])).toBe(0)
  const text = written.mock.calls.map(([chunk]) => chunk).join('')
  expect(text).toContain('Exit codes: 0 ok, 1 failed, 2 usage error')
  expect(text.split('\n').filter(line => line.length > 80)).toEqual([])
})
