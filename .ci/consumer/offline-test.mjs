// The first test of the msw package's README, unchanged, in a project that has the publisher SDK, the msw package and
// its peers, and nothing else.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from '../run-checks.mjs'
import { createUserProject, sdks } from './project.mjs'

/** A check that the installed packages run it. */
export function offlineTestCheck({ root, out, tarballs }) {
  return {
    name: 'a test with msw and no server',
    async run() {
      const names = [sdks[0], '@lead-distribution/msw']
      const folder = await createUserProject(join(out, 'offline'), tarballs, names, { msw: '^3', vitest: '^5' })
      const readme = await readFile(join(root, 'packages/msw/README.md'), 'utf8')
      const code = /<!-- ten-lines\.test -->\n```ts\n(.*?)```/s.exec(readme)?.[1]
      if (!code) throw new Error('The README of packages/msw has no block behind <!-- ten-lines.test -->.')
      await writeFile(join(folder, 'ten-lines.test.ts'), code)
      const program = join(folder, 'node_modules/vitest/vitest.mjs')
      const { stdout } = await execute(process.execPath, [program, 'run'], {
        cwd: folder,
        env: { ...process.env, NO_COLOR: '1' },
      })
      return /Tests .*/.exec(stdout)?.[0].replace(/ +/g, ' ')
    },
  }
}
