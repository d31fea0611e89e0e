import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { blockOf, createProject, execute } from './project.fixture.ts'

// Runs the pages' code blocks unchanged, in projects with only the packages that they name.
const packages = ['@lead-distribution/publisher-sdk', '@lead-distribution/msw']
const timeout = 600_000
const programs = join(root, 'apps/e2e/src/published/programs')

const strict = [
  '--strict',
  '--noEmit',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--types',
  'node',
]
const compile = (cwd: string, ...files: string[]) =>
  execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...files], { cwd })

it('the sandbox runs in process without msw, and names the package that handlers need', { timeout }, async () => {
  const cwd = await createProject('without-msw', packages, { '@types/node': '^22' })
  writeFileSync(join(cwd, 'in-process.mts'), blockOf('packages/publisher-sdk/README.md', 'in-process'))
  await compile(cwd, 'in-process.mts')
  await execute(process.execPath, ['in-process.mts'], { cwd })
  const handlers = `import { createLeadSandbox } from '@lead-distribution/msw'
    const sandbox = await createLeadSandbox()
    try { sandbox.handlers } catch (error) { console.log(error.message) }`
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', handlers], { cwd })
  expect(stdout).toContain('npm install --save-dev msw')
})

// The page has the sandbox's origin: with msw 3, requests to other origins don't reach msw in these environments. In a
// VM context, a DOM's global scope lacks classes that msw needs.
const configuration = (runs: readonly (readonly [environment: string, pool: string])[]) => `
  import { defineConfig } from 'vitest/config'
  const url = 'https://sandbox.leads.test/'
  const runs = ${JSON.stringify(runs)}.map(([environment, pool]) => ({
    test: {
      name: environment + ', ' + pool,
      environment,
      pool,
      include: ['environments.mjs'],
      environmentOptions: { jsdom: { url }, happyDOM: { url } },
      setupFiles: pool === 'vmThreads' ? ['vm-globals.mjs'] : [],
    },
  }))
  export default defineConfig({
    test: { projects: [...runs, { test: { name: 'README', include: ['ten-lines.test.ts'] } }] },
  })`
const vmGlobals = `
  import { ReadableStream, TransformStream, WritableStream } from 'node:stream/web'
  import { BroadcastChannel } from 'node:worker_threads'
  for (const [name, value] of Object.entries({ BroadcastChannel, ReadableStream, TransformStream, WritableStream }))
    globalThis[name] ??= value`

const environments = ['node', 'jsdom', 'happy-dom']
const inPools = (...pools: string[]) =>
  environments.flatMap(environment => pools.map(pool => [environment, pool] as const))

it.each([
  ['^3', inPools('forks', 'threads', 'vmThreads')],
  ['^2', inPools('forks')],
])('a vitest test needs no server with msw %s', { timeout }, async (msw, runs) => {
  const others = { msw, vitest: '^5', jsdom: '^31', 'happy-dom': '^21', '@types/node': '^22' }
  const cwd = await createProject(`vitest-msw${msw.slice(1)}`, packages, others)
  writeFileSync(join(cwd, 'ten-lines.test.ts'), blockOf('packages/msw/README.md', 'ten-lines.test'))
  writeFileSync(join(cwd, 'by-hand.ts'), blockOf('docs/sdks/offline-tests.md', 'by-hand'))
  writeFileSync(join(cwd, 'vitest.config.mjs'), configuration(runs))
  writeFileSync(join(cwd, 'vm-globals.mjs'), vmGlobals)
  cpSync(join(programs, 'environments.mjs'), join(cwd, 'environments.mjs'))
  // The sandbox's handlers have the type of the user's msw.
  await compile(cwd, 'by-hand.ts', 'ten-lines.test.ts')
  const { VITEST: _, NODE_ENV: __, ...env } = process.env
  await execute(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], { cwd, env, timeout })
})

it('a Jest test runs in both module systems, with and without a DOM', { timeout }, async () => {
  const babel = { '@babel/core': '^7', '@babel/preset-env': '^7', 'babel-jest': '^30' }
  const dom = { 'jest-environment-jsdom': '^30', 'jest-fixed-jsdom': '^0.0.11' }
  const others = { jest: '^30', msw: '^3', msw2: 'npm:msw@^2', ...dom, ...babel }
  const cwd = await createProject('jest', packages, others, 'hoisted')
  writeFileSync(join(cwd, 'jest.config.mjs'), blockOf('docs/sdks/runtimes.md', 'jest'))
  writeFileSync(join(cwd, 'esm.config.mjs'), "export default { transform: {}, moduleFileExtensions: ['js', 'mjs'] }")
  const test = readFileSync(join(programs, 'jest.test.js'), 'utf8')
  for (const environment of ['node', 'jest-fixed-jsdom'])
    for (const ending of ['js', 'mjs'])
      writeFileSync(join(cwd, `${environment}.test.${ending}`), `/** @jest-environment ${environment} */\n${test}`)
  // Without ES modules, only msw 2 works.
  const msw2 = ['--moduleNameMapper', '{"^msw(/.*)?$":"msw2$1"}']
  const jest = ['node_modules/jest/bin/jest.js', '--ci', '--config']
  await execute(process.execPath, [...jest, 'jest.config.mjs', '--testMatch', '**/*.test.js', ...msw2], { cwd })
  const esm = ['--experimental-vm-modules', ...jest, 'esm.config.mjs', '--testMatch', '**/*.test.mjs']
  await execute(process.execPath, esm, { cwd })
})
