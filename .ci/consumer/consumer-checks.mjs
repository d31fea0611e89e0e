// What users of the packages meet: the tarballs installed by npm into separate projects, compiled by every
// compiler, run by every runtime and in a browser.
import { cp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { execute, reject } from '../run-checks.mjs'
import { browserCheck } from './browser.mjs'
import { compilerChecks } from './compilers.mjs'
import { checkDeclarations } from './declarations.mjs'
import { jestCheck } from './jest.mjs'
import { lostReplyChecks } from './lost-replies.mjs'
import { offlineTestChecks } from './offline-test.mjs'
import { packedServerCheck } from './packed-server.mjs'
import { createEverything, createSdkProject, once, sdks, writeEntries, writeJson } from './project.mjs'
import { runtimeChecks } from './runtimes.mjs'
import { startService } from './service.mjs'
import { copyTypeTests } from './type-tests.mjs'

const programs = join(dirname(fileURLToPath(import.meta.url)), 'programs')

/** The checks, and how what they started is stopped. */
export async function consumerChecks({ root, out, tarballs }) {
  const service = await startService()
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
  const given = { root, out, tarballs, everything, sdkProject, settingsOf: service.settingsOf }
  const runtimes = runtimeChecks(given)
  const lostReplies = await lostReplyChecks({ ...given, ...runtimes })
  return {
    stop: () => Promise.all([service.stop(), lostReplies.stop()]),
    checks: [
      // npm brings the runtimes while the compilers work.
      runtimes.bring,
      ...compilerChecks(given),
      { name: 'type tests', run: async () => everyTypeTest(await sdkProject(), await everything()) },
      { name: 'declarations', run: async () => checkDeclarations((await everything()).folder) },
      { name: 'every entry', run: () => importEveryEntry(everything) },
      ...offlineTestChecks(given),
      jestCheck(given),
      browserCheck(given),
      packedServerCheck({ ...given, nodes: runtimes.nodes }),
      ...runtimes.checks,
      ...lostReplies.checks,
    ],
  }
}

/** What they hold is seen by every compiler; here, that none was kept out. */
function everyTypeTest(...projects) {
  reject(projects.flatMap(({ problems }) => problems))
  return `${projects.reduce((sum, { wrongUses }) => sum + wrongUses, 0)} wrong uses, for every compiler to refuse`
}

async function importEveryEntry(everything) {
  const { folder, entries } = await everything()
  const loads = entries.map(entry => `await import('${entry}')`)
  // Some open what keeps a process alive.
  await writeFile(join(folder, 'entries.mjs'), `${loads.join('\n')}\nprocess.exit(0)\n`)
  await execute(process.execPath, [join(folder, 'entries.mjs')], { cwd: folder })
  return `${entries.length} imported on Node ${process.version}`
}
