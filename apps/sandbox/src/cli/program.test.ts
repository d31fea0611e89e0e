import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { everyVerb } from './every-verb.fixture.ts'
import { run } from './program.ts'

const verbs = await everyVerb()
const names = verbs.map(({ name }) => name)
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(verbs)('$name', ({ name, command }) => {
  it('describes itself, and shows an example', () => {
    const printed: string[] = []
    command.configureOutput({ writeOut: text => printed.push(text) }).outputHelp()
    expect(command.description()).toMatch(/\.$/)
    expect(printed.join('')).toContain(`  $ lead-sandbox ${name}`)
  })

  it('refuses an unknown flag as wrong usage', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long = '' }) => [long, '24h'])
    expect(await run([...name.split(' '), ...needed, '--nonsense'])).toBe(2)
    expect(stderr.mock.calls.join('')).toMatch(/unknown option '--nonsense'[\s\S]*add --help/)
  })
})

it('has every verb in the table of the README, and no other', () => {
  const [, section = ''] = readme.split(/^## Verbs$/m)
  const described = [...section.matchAll(/^\| `([a-z]+(?: [a-z]+)?)[ `]/gm)].map(([, verb]) => verb)
  expect(described.toSorted()).toEqual(names.toSorted())
})

it('has every flag of a verb in the README', () => {
  const flags = new Set(verbs.flatMap(({ command }) => command.options.map(({ long }) => long ?? '')))
  expect([...flags].filter(flag => !readme.includes(flag))).toEqual([])
})
