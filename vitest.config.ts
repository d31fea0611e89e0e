import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** Tests that start processes, servers or browsers, or wait: `npm run test:all` runs them, `npm test` does not. */
const system = [
  'apps/sandbox/src/certify/**/*.test.ts',
  'apps/sandbox/src/cli/certify/**/*.test.ts',
  'apps/sandbox/src/storage/**/kill*.test.ts',
  'apps/e2e/src/!(architecture|scenarios|adapters|generated)/**/*.test.ts',
]
const scenarios = ['apps/e2e/src/scenarios/**/*.test.ts', 'apps/e2e/src/adapters/**/*.test.ts']

const project = (name: string, test: object): TestProjectConfiguration => ({ extends: true, test: { name, ...test } })

export default defineConfig({
  test: {
    projects: [
      project('unit', {
        include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'],
        exclude: [...system, ...scenarios],
        isolate: false,
      }),
      project('scenarios', { include: scenarios, isolate: false, provide: { adapters: ['memory'] } }),
      project('adapters', {
        include: ['apps/e2e/src/adapters/**/*.test.ts'],
        isolate: false,
        provide: { adapters: ['express + SQLite', 'msw'] },
      }),
      project('system', { include: system }),
    ],
    // One worker a core: vitest keeps one core free by default, which halves two.
    maxWorkers: availableParallelism(),
    // Only a test that hangs takes this long, also on a machine that is busy with something else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Concurrent tests wait for each other or for a process.
    maxConcurrency: 50,
    // A title names the statement that its test shows: it must not be cut short.
    taskTitleValueFormatTruncate: 0,
  },
})
