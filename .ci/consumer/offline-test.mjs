// The first test of the msw package's README, unchanged, in a project that has the publisher SDK, the msw package and
// its peers, and nothing else; with each version of msw that the package supports.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from '../run-checks.mjs'
import { createUserProject, readJson, sdks } from './project.mjs'

/** The versions of msw that the package supports. */
const versions = ['^3', '^2']

/** A check of each version of msw: the installed packages run the test, and a sandbox opened by hand compiles. */
export function offlineTestChecks({ root, out, tarballs }) {
  return versions.map(msw => ({
    name: `a test with msw ${msw} and no server`,
    async run() {
      const names = [sdks[0], '@lead-distribution/msw']
      const needed = { msw, vitest: '^5', '@types/node': '^22' }
      const folder = await createUserProject(join(out, `offline-msw${msw.slice(1)}`), tarballs, names, needed)
      const readme = await readFile(join(root, 'packages/msw/README.md'), 'utf8')
      for (const name of ['ten-lines.test', 'by-hand']) {
        const code = new RegExp(`<!-- ${name} -->\n\`\`\`ts\n(.*?)\`\`\``, 's').exec(readme)?.[1]
        if (!code) throw new Error(`The README of packages/msw has no block behind <!-- ${name} -->.`)
        await writeFile(join(folder, `${name}.ts`), code)
      }
      // Its handlers are those of the msw that the user has.
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const strict = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022']
      await execute(process.execPath, [tsc, ...strict, '--types', 'node', 'by-hand.ts'], { cwd: folder })
      const program = join(folder, 'node_modules/vitest/vitest.mjs')
      const { stdout } = await execute(process.execPath, [program, 'run'], {
        cwd: folder,
        env: { ...process.env, NO_COLOR: '1' },
      })
      const { version } = await readJson(join(folder, 'node_modules/msw/package.json'))
      return `${version}; ${/Tests .*/.exec(stdout)?.[0].replace(/ +/g, ' ')}`
    },
  }))
}
