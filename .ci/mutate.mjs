// `npm run mutate -- PACKAGE`: mutates a package's code in one small place at a time, and prints each mutant that no
// unit test of the package kills. `npm run mutate -- simulator 'time/*.ts'` mutates only the files in its `src` that
// match, all of them again. A second run tries survivors and changes since the first. The report is
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
  // A worker in an endless mutant would outlive a stopped run.
  testRunnerNodeArgs: ['--import', 'data:text/javascript,process.on("disconnect",()=>process.exit())'],
  mutate: [
    ...(files.length > 0 ? files : ['**/*.ts']).map(file => `${source}/${file}`),
    `!${source}/**/*.{test,fixture,generated}.ts`,
  ],
  ignorePatterns: ['apps', 'docs', 'dist', 'coverage'],
  // No type check: vitest strips types.
  disableTypeChecks: false,
  // Generous, because a slow test on a busy machine is not an endless mutant.
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
  // Stryker has printed the reason, usually a test that fails without mutants.
  process.exitCode = 1
}

/**
 * Forgets the survivors of the last run, because Stryker never retries one in code that runs at import, even after new
 * tests.
 */
function forgetSurvivors() {
  if (!existsSync(incrementalFile)) return
  const last = JSON.parse(readFileSync(incrementalFile, 'utf8'))
  for (const file of Object.values(last.files))
    file.mutants = file.mutants.filter(({ status }) => status !== 'Survived')
  writeFileSync(incrementalFile, JSON.stringify(last))
}
