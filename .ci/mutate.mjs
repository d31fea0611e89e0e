// `npm run mutate -- PACKAGE`: breaks the code of a package in one small place at a time, and prints each break that no
// unit test of the package notices. `npm run mutate -- simulator 'time/*.ts'` breaks only the files of its `src` that
// match, all of them anew. A second run of a package tries survivors and what changed since the first; the report is
// `coverage/mutation/PACKAGE/report.html`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Stryker } from '@stryker-mutator/core'

const [name, ...files] = process.argv.slice(2)
const packages = readdirSync('packages').filter(each => existsSync(`packages/${each}/package.json`))
if (!packages.includes(name)) {
  console.error(name ? `There is no package ${name}.` : 'The package is missing.')
  console.error(`Usage: npm run mutate -- PACKAGE [FILE]…, where PACKAGE is one of ${packages.join(', ')}.`)
  process.exit(2)
}

const source = `packages/${name}/src`
const report = `coverage/mutation/${name}`
const incrementalFile = `${report}/incremental.json`
if (files.length === 0) forgetSurvivors()

const stryker = new Stryker({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: '.ci/mutate.vitest.config.mjs', dir: `packages/${name}` },
  // A worker that runs into a mutant without end would outlive a run that is stopped.
  testRunnerNodeArgs: ['--import', 'data:text/javascript,process.on("disconnect",()=>process.exit())'],
  mutate: [
    ...(files.length > 0 ? files : ['**/*.ts']).map(file => `${source}/${file}`),
    `!${source}/**/*.{test,fixture,generated}.ts`,
  ],
  ignorePatterns: ['apps', 'docs', 'dist', 'coverage'],
  // The compiler is not asked: vitest strips types.
  disableTypeChecks: false,
  // A slow test on a busy machine is not one that a mutant keeps from ending.
  timeoutMS: 20_000,
  incremental: true,
  force: files.length > 0,
  incrementalFile,
  tempDirName: `${report}/copy`,
  logLevel: 'error',
  warnings: false,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: process.stdout.isTTY === true },
  htmlReporter: { fileName: `${report}/report.html` },
  jsonReporter: { fileName: `${report}/report.json` },
})

try {
  await stryker.runMutationTest()
  console.log(`The report is ${report}/report.html.`)
} catch {
  // Stryker has said why: most often a test fails without any mutant.
  process.exitCode = 1
}

/** Forgets the survivors of the last run: Stryker never retries one in code that runs at import, whatever tests are new. */
function forgetSurvivors() {
  if (!existsSync(incrementalFile)) return
  const last = JSON.parse(readFileSync(incrementalFile, 'utf8'))
  for (const file of Object.values(last.files))
    file.mutants = file.mutants.filter(({ status }) => status !== 'Survived')
  writeFileSync(incrementalFile, JSON.stringify(last))
}
