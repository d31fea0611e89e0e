import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { isOutput, Names } from './compare-output.ts'
import { runGuide } from './run-guide.ts'

/** Follows a guide that presses no button. */
const run = (...lines: string[]) =>
  runGuide(lines.join('\n'), () => Promise.reject(new Error('There is no button in this guide.')))

const block = (language: string, ...lines: string[]) => [`\`\`\`${language}`, ...lines, '```'].join('\n')
const clock = block('sh', 'curl -sS http://127.0.0.1:4010/_sandbox/v1/tenants/demo/clock')

describe('the runner of guides', () => {
  it('follows commands with its own sandbox, and remembers variables', async () => {
    await run(
      block('sh', 'sandbox=http://127.0.0.1:4010'),
      block('sh', 'curl -sS $sandbox/_sandbox/v1/tenants/demo/clock'),
      block('json', '{ "mode": "running", "now": "2026-01-01T00:00:00Z" }'),
      block('sh', 'npx lead-sandbox clock show --json | jq .mode'),
      block('json', '"running"'),
    )
  })

  it('runs files with the packages of the workspace', async () => {
    await run(
      block(
        'ts',
        '// shout.ts',
        "import { rejectionReasons } from '@lead-distribution/contract'",
        'const count: number = rejectionReasons.length',
        "console.log(count, 'reasons')",
      ),
      block('sh', 'node shout.ts'),
      block('text', '10 reasons'),
    )
  })

  it('starts a sandbox where the guide does, in its own terminal', async () => {
    const start = block('sh', 'lead-sandbox start --port 4010')
    await run('<!-- ci: stays running -->', start, clock, block('json', '{ "mode": "running", "…": "…" }'))
  })

  it('fails where something differs', () =>
    eachRow(
      [
        [
          'a command that is misspelt',
          block('sh', 'crul http://127.0.0.1:4010'),
          /Line 1 of the guide: the block ended with 127/,
        ],
        ['a command that fails in the middle', block('sh', 'false', 'true'), /ended with 1 instead of 0/],
        [
          'a command that does well where a failure is shown',
          `<!-- ci: exit 2 -->\n${block('sh', 'true')}`,
          /ended with 0 instead of 2/,
        ],
        [
          'a path that is misspelt',
          `${clock.replace('/clock', '/clok')}\n${block('json', '{ "mode": "running", "…": "…" }')}`,
          /but this was printed/,
        ],
        ['another value', `${clock}\n${block('json', '{ "mode": "frozen", "…": "…" }')}`, /but this was printed/],
        ['a field that is missing', `${clock}\n${block('json', '{ "mode": "running" }')}`, /but this was printed/],
        [
          'a field that is too much',
          `${clock}\n${block('json', '{ "mode": "running", "now": "2026-01-01T00:00:00Z", "zone": "UTC" }')}`,
          /but this was printed/,
        ],
        [
          'a file that nobody can read',
          `${block('ts', '// wrong.ts', 'console.log(nothing)')}\n${block('sh', 'node wrong.ts')}`,
          /nothing is not defined/,
        ],
        ['a terminal that does not stay', `<!-- ci: stays running -->\n${block('sh', 'true')}`, /ended at once/],
        ['a terminal to stop that does not run', '<!-- ci: stop shop.ts -->', /No terminal runs shop\.ts/],
        ['a button that cannot be pressed', '<!-- ci: press approved -->', /There is no button/],
        ['a block of no known kind', block('bash', 'true'), /Line 1: give the block one of/],
        ['a remark of no known kind', '<!-- ci: runs twice -->', /does not know the remark "runs twice"/],
      ],
      async (_what, guide, message) => {
        await expect(run(guide)).rejects.toThrow(message)
      },
    ))
})

const ana = '91ee0000-0000-40ed-9262-f1c23fe81a74'
const bea = '5f8d0000-0000-4bd6-a5c8-9b5b0d2c7e11'
const compare = (format: 'json' | 'text', shown: string, actual: string, exactTimes = false) =>
  isOutput(format, shown, actual, { names: new Names(), exactTimes })

describe('comparing what a guide shows with what was printed', () => {
  it('takes what the guide may leave open', () =>
    eachRow(
      [
        ['another id', ana, bea],
        ['another time, another length', 'at 2026-01-01T00:00:00Z, 3 ms', 'at 2030-12-31T23:59:59.999Z, 1.25 ms'],
        ['another key', `sandbox_pub_1f_${'0'.repeat(32)}`, `sandbox_pub_376e_${'a'.repeat(32)}`],
        ['wider columns', 'event state\nregistration delivered', 'event         state\nregistration  delivered\n'],
        ['what … matches in a line', 'lead-1-…@example.com', 'lead-1-x@example.com'],
        ['lines that … matches', 'a\n…\nz', 'a\nb\nc\nz'],
      ],
      (_what, shown, actual) => {
        expect(compare('text', shown, actual)).toBe(true)
      },
    ))

  it('does not take what differs', () =>
    eachRow(
      [
        ['another status', 'new', 'rejected'],
        ['another number', '503', '500'],
        ['an id of the demo account that differs', '20000000-0000-4000-8000-000000000001', ana],
        ['a line more', 'a', 'a\nb'],
        ['a line less', 'a\nb', 'a'],
        ['two ids where one was shown', `${ana} ${ana}`, `${ana} ${bea}`],
        ['one id where two were shown', `${ana} ${bea}`, `${ana} ${ana}`],
        ['what is shown as a pattern', 'a.c', 'abc'],
      ],
      (_what, shown, actual) => {
        expect(compare('text', shown, actual)).toBe(false)
      },
    ))

  it('judges JSON by its values', () =>
    eachRow(
      [
        ['other spaces', '{ "a": [1, 2] }', '{"a":[1,2]}', true],
        ['more fields behind "…"', '{ "a": 1, "…": "…" }', '{"a":1,"b":2}', true],
        ['more entries behind "…"', '[1, "…"]', '[1,2,3]', true],
        ['another time that something took', '{ "ms": 1 }', '{"ms":0}', true],
        ['a field more', '{ "a": 1 }', '{"a":1,"b":2}', false],
        ['a field less', '{ "a": 1, "b": 2 }', '{"a":1}', false],
        ['an entry more', '[1]', '[1,2]', false],
        ['an entry less', '[1, 2]', '[1]', false],
        ['another kind of value', '{ "a": "1" }', '{"a":1}', false],
        ['no JSON', '{ "a": 1 }', 'a: 1', false],
      ],
      (_what, shown, actual, taken) => {
        expect(compare('json', shown, actual)).toBe(taken)
      },
    ))

  it('compares times by value where a guide sets the clock', () => {
    const [shown, actual] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
    expect([compare('text', shown, actual, true), compare('text', shown, shown, true)]).toEqual([false, true])
  })
})
