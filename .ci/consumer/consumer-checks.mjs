// The packages as their users have them: the tarballs installed by npm into separate projects, compiled by every
// compiler, run by every runtime and in a browser.
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { execute } from '../run-checks.mjs'
import { browserCheck } from './browser.mjs'
import { checkDeclarations, compilerChecks } from './compilers.mjs'
import { lostReplyChecks } from './lost-replies.mjs'
import { packedServerCheck } from './packed-server.mjs'
import {
  copyTypeTests,
  createEverything,
  createSdkProject,
  once,
  programs,
  sdks,
  writeEntries,
  writeJson,
} from './project.mjs'
import { readmeChecks } from './readme-blocks.mjs'
import { runtimeChecks } from './runtimes.mjs'
import { startServer } from './server.mjs'

/** The checks, and how what they started is stopped. */
export async function consumerChecks({ root, out, tarballs }) {
  const server = await startServer()
  const everything = once(async () => {
    const folder = await createEverything(join(out, 'everything'), tarballs)
    const entries = await writeEntries(folder, Object.keys(tarballs))
    const names = Object.keys(tarballs).filter(name => !sdks.includes(name))
    return { folder, entries, ...(await copyTypeTests({ root, folder, names })) }
  })
  const sdkProject = once(async () => {
    const folder = await createSdkProject(join(out, 'sdks'), tarballs)
    await cp(programs, folder, { recursive: true })
    for (const name of ['smoke', 'faults']) {
      const source = await readFile(join(folder, `${name}.ts`), 'utf8')
      const { code } = await transform(source, { loader: 'ts', format: 'esm' })
      await writeFile(join(folder, `${name}.mjs`), code.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.mjs"'))
    }
    await writeJson(join(folder, 'entries.json'), await writeEntries(folder, sdks))
    return { folder, ...(await copyTypeTests({ root, folder, names: sdks })) }
  })
  const given = { root, out, tarballs, everything, sdkProject, server }
  const runtimes = runtimeChecks(given)
  return {
    stop: server.stop,
    checks: [
      // npm brings the runtimes while the compilers work.
      runtimes.bring,
      ...compilerChecks(given),
      { name: 'declarations', run: async () => checkDeclarations((await everything()).folder) },
      { name: 'every entry', run: () => importEveryEntry(everything) },
      ...readmeChecks(given),
      browserCheck(given),
      packedServerCheck({ ...given, nodes: runtimes.nodes }),
      ...runtimes.checks,
      ...lostReplyChecks({ ...given, ...runtimes }),
    ],
  }
}

async function importEveryEntry(everything) {
  const { folder, entries } = await everything()
  const loads = entries.map(entry => `await import('${entry}')`)
  // Some open what keeps a process alive.
  await writeFile(join(folder, 'entries.mjs'), `${loads.join('\n')}\nprocess.exit(0)\n`)
  await execute(process.execPath, [join(folder, 'entries.mjs')], { cwd: folder })
  return `${entries.length} imported on Node ${process.version}`
}
