import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
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
        ['a button that cannot be pressed', '<!-- ci: press approved -->', /There is no button/],
        ['a block of no known kind', block('bash', 'true'), /Line 1: give the block one of/],
        ['a remark of no known kind', '<!-- ci: runs twice -->', /does not know the remark "runs twice"/],
      ],
      async (_what, guide, message) => {
        await expect(run(guide)).rejects.toThrow(message)
      },
    ))
})
