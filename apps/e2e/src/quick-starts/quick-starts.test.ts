import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { filesOf, pagesIn, parsePage } from '../code-blocks/parse-page.ts'
import { missing } from '../code-blocks/reader.fixture.ts'
import { runPage } from '../code-blocks/run-page.ts'

/**
 * The folder of commands that shadow the machine's own: an `npm` that installs the packed packages instead of the
 * registry's.
 */
let commands: string
beforeAll(() => {
  commands = mkdtempSync(join(tmpdir(), 'quick-start-commands-'))
  const printed = execFileSync('npm', ['run', 'pack'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const tarballs = [...printed.matchAll(/"([^"]+\/([a-z-]+)-\d+\.\d+\.\d+-[0-9a-f]+\.tgz)"/g)]
  expect(tarballs.length).toBeGreaterThan(0)
  const cases = tarballs.map(([, path, name]) => `  @lead-distribution/${name}) set -- "$@" '${path}' ;;`)
  const machineNpm = join(dirname(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()), 'npm')
  const script = `#!/bin/sh
for argument in "$@"; do
  shift
  case "$argument" in
${cases.join('\n')}
  *) set -- "$@" "$argument" ;;
  esac
done
exec '${machineNpm}' "$@"
`
  writeFileSync(join(commands, 'npm'), script)
  chmodSync(join(commands, 'npm'), 0o755)
}, 900_000)
afterAll(() => rmSync(commands, { recursive: true, force: true }))

/** The environment without the variables that npm and vitest set. */
const fromOutside = Object.entries(process.env).filter(
  (entry): entry is [string, string] => !/^(npm_|vitest|node_env|node_options|test$|prod$|dev$)/i.test(entry[0]),
)

/** Returns the environment for an empty folder, with the machine's npm and npx and the workspace's Node. */
const emptyFolder = async (_folder: string, port: string) => ({
  ...Object.fromEntries(fromOutside),
  PATH: [commands, dirname(process.execPath), process.env.PATH].join(delimiter),
  LANG: 'C.UTF-8',
  NO_COLOR: '1',
  // Warnings about the machine's npm settings are not part of the page.
  npm_config_loglevel: 'error',
  LEAD_SANDBOX_URL: `http://127.0.0.1:${port}`,
})

const pages = pagesIn('docs/quick-starts/*.md')

describe('the quick starts', () => {
  // npm installs a hundred packages, too many for the default timeout on a busy machine.
  it.for(pages)(
    '$path works from an empty folder with the packed packages',
    { timeout: 900_000 },
    async (page, { skip }) => {
      const isPhp = filesOf(page).some(({ language }) => language === 'php')
      const reason = isPhp && missing(page.path, ['PHP with SQLite'])
      if (reason) skip(reason)
      await runPage({ ...page, prepare: emptyFolder }, commands)
    },
  )

  it('cover every block', () => {
    expect(pages.flatMap(page => parsePage(page).filter(({ kind }) => kind === 'left'))).toEqual([])
  })
})
