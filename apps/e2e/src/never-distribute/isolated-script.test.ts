import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'isolated-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `.ci/isolated`; `path` is what the shell looks into first. */
function isolated(args: string[], path?: string) {
  const PATH = [path, process.env.PATH].filter(Boolean).join(delimiter)
  const env = { ...process.env, PATH, NETWORK_ISOLATED: 'from outside' }
  const { stdout, status } = spawnSync(join(root, '.ci/isolated'), args, { env, encoding: 'utf8' })
  const [said, ...lines] = stdout.trimEnd().split('\n')
  return { said, lines, status }
}

/** Prints the network that a process sees. */
const seen = 'console.log(process.env.NETWORK_ISOLATED ?? "unset", Object.keys(os.networkInterfaces()).join())'

// The script is bash's, as all of .ci/run is.
describe.skipIf(process.platform === 'win32')('.ci/isolated', () => {
  it('says isolated where there is only loopback, and nothing else where it is not', () => {
    const { said, lines } = isolated([process.execPath, '-e', seen])
    if (/^Network: isolated\./.test(said ?? '')) expect(lines).toEqual(['1 lo'])
    else expect([said, lines[0]]).toEqual([expect.stringContaining('NOT isolated'), expect.stringMatching(/^unset /)])
  })

  it('runs the command WITHOUT isolation where no namespace can be made, and says why', () => {
    const fake = join(folder, 'unshare')
    writeFileSync(fake, '#!/bin/sh\necho "unshare: Operation not permitted" >&2\nexit 1\n')
    chmodSync(fake, 0o755)
    const { said, lines, status } = isolated([process.execPath, '-e', seen], folder)
    expect(said).toMatch(/NOT isolated.*WITHOUT.*Operation not permitted$/)
    expect([lines, status]).toEqual([[expect.stringMatching(/^unset /)], 0])
  })

  it('runs nothing without a command, and says what it would be', () => {
    expect(isolated([])).toEqual({ said: expect.stringMatching(/^Network: /), lines: [], status: 0 })
  })

  it("hands over arguments unchanged, and ends with the command's exit code", () => {
    const code = 'console.log(JSON.stringify(process.argv.slice(1))); process.exit(3)'
    const { lines, status } = isolated([process.execPath, '-e', code, '--', 'a b', '"c"', '$HOME', ''])
    expect([JSON.parse(lines[0] ?? ''), status]).toEqual([['a b', '"c"', '$HOME', ''], 3])
  })
})
