import { afterEach, expect, it, vi } from 'vitest'
import { run } from './program.ts'

afterEach(() => vi.restoreAllMocks())

const facts = [
  '--base-url',
  'http://127.0.0.1:1/api/v1',
  '--publisher-key',
  'k',
  '--publisher-id',
  'p',
  '--product',
  'q',
]

it.each<[title: string, args: string[], said: RegExp]>([
  ['no facts', [], /--base-url is missing/],
  ['an unknown flag', ['--nonsense'], /unknown option/],
  ['no such case', ['--list', '--only', 'nothing-like-it'], /No case matches "nothing-like-it"/],
  ['an account that is not there', ['--account', '/nowhere.json'], /Could not read \/nowhere\.json \(ENOENT\)/],
  ['a baseline that is not there', [...facts, '--baseline', '/nowhere.json'], /add --update-baseline/],
  ['a baseline to update, but no file', [...facts, '--update-baseline'], /pass --baseline FILE too/],
  ['a patience that is none', ['--patience', 'long'], /Expected a number greater than 0/],
  ['a key in the address', ['--base-url', 'http://a:b@localhost/api/v1'], /Expected a URL/],
])('ends with 2 and a sentence: %s', async (_title, args, said) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  expect(await run(args)).toBe(2)
  expect([written.mock.calls, logged.mock.calls].join()).toMatch(said)
})
