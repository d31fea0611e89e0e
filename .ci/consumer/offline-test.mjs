// Blocks of the READMEs, unchanged, in a project that has the publisher SDK, the msw package and what they name, and
// nothing else: with each version of msw that the package supports, and without msw.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute, reject } from '../run-checks.mjs'
import { createUserProject, readJson, sdks } from './project.mjs'

/** The versions of msw that the package supports. */
const versions = ['^3', '^2']

/** A check of each version of msw: the installed packages run the test, and a sandbox opened by hand compiles. */
export function offlineTestChecks(given) {
  return [...versions.map(msw => withMsw(given, msw)), withoutMsw(given)]
}

function withoutMsw({ root, out, tarballs }) {
  return {
    name: 'the sandbox in process without msw',
    async run() {
      const folder = await createUserProject(join(out, 'offline-without-msw'), tarballs, [
        sdks[0],
        '@lead-distribution/msw',
      ])
      const readme = await readFile(join(root, 'packages/publisher-sdk/README.md'), 'utf8')
      await writeFile(join(folder, 'in-process.mts'), blockOf(readme, 'in-process'))
      await execute(process.execPath, ['in-process.mts'], { cwd: folder })
      const handlers = `const { createLeadSandbox } = await import('@lead-distribution/msw')
      const sandbox = await createLeadSandbox()
      try { sandbox.handlers } catch (error) { console.log(error.message) }`
      const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', handlers], { cwd: folder })
      reject(stdout.includes('npm install --save-dev msw') ? [] : [`does not say what handlers need: ${stdout}`])
    },
  }
}

function blockOf(readme, name) {
  const code = new RegExp(`<!-- ${name} -->\n\`\`\`ts\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  if (!code) throw new Error(`The README has no block behind <!-- ${name} -->.`)
  return code
}

function withMsw({ root, out, tarballs }, msw) {
  return {
    name: `a test with msw ${msw} and no server`,
    async run() {
      const names = [sdks[0], '@lead-distribution/msw']
      const needed = { msw, vitest: '^5', '@types/node': '^22' }
      const folder = await createUserProject(join(out, `offline-msw${msw.slice(1)}`), tarballs, names, needed)
      const readme = await readFile(join(root, 'packages/msw/README.md'), 'utf8')
      for (const name of ['ten-lines.test', 'by-hand'])
        await writeFile(join(folder, `${name}.ts`), blockOf(readme, name))
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
  }
}
