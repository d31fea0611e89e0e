import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that install packages as a user does. They need a network: `npm run check:quick-starts`. */
const quickStarts = ['apps/e2e/src/quick-starts/**/*.test.ts']

/** Tests of the published packages, packed and installed as users do. They need a network: `npm run check:packages`. */
const published = ['apps/e2e/src/published/*.test.ts']

/** Tests of the service and the sandbox that start no process. */
const scenarios = ['apps/e2e/src/{scenarios,adapters,storages,never-distribute}/**/*.test.ts']

/** Tests that start processes or browsers, or wait long. `npm run test:all` runs them, `npm test` does not. */
const system = [
  'apps/e2e/src/!(architecture|conformance|generated|scenarios|adapters|storages|never-distribute|postgres|published|quick-starts)/**/*.test.ts',
  'apps/sandbox/src/cli/certify*.test.ts',
  'apps/sandbox/src/**/kill*.test.ts',
]

/** Tests of the adapters' own behavior. They also run on the adapters other than memory. */
const onAdapters = ['apps/e2e/src/adapters/**/*.test.ts', 'apps/e2e/src/never-distribute/redirect-origin.test.ts']

/** Tests that depend on the storage. They also run on the storages other than memory. */
const onStorages = ['apps/e2e/src/storages/**/*.test.ts']

/** Tests on PostgreSQL, only in `npm run test:all`: its server takes seconds to start. */
const onPostgres = [
  ...onStorages,
  'apps/e2e/src/adapters/concurrency.test.ts',
  'apps/e2e/src/postgres/**/*.test.ts',
  'apps/sandbox/src/storage/{contract,postgres}/**/*.test.ts',
]

/**
 * Settings for tests that spend half of their time waiting for processes, browsers or a database: one worker more than
 * there are cores.
 */
const waiting = {
  maxWorkers: availableParallelism() + 1,
  sequence: { groupOrder: 1 },
  testTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Pages and guides assert by what they wait for, which vitest does not count as assertions. */
const byWaiting = { expect: { ...waiting.expect, requireAssertions: false } }

/** The slowest files. They start first, so that no core is left waiting for one at the end. */
const longest = ['docs/site', 'code-blocks/pages', 'postgres/crashes', 'postgres/silent-database']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some(path => moduleId.endsWith(`${path}.test.ts`))
    const projects = Object.values(Object.groupBy(await super.sort(files), ({ project }) => project.name))
    return projects.flatMap((specs = []) => specs.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one))))
  }
}

const project = (name: string, test: object): TestProjectConfiguration => ({
  extends: true,
  test: { name, ...test },
})

export default defineConfig({
  test: {
    projects: [
      project('unit', {
        include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'],
        exclude: [
          ...scenarios,
          ...system,
          ...quickStarts,
          ...published,
          'apps/{sandbox/src/storage,e2e/src}/postgres/**',
        ],
        isolate: false,
      }),
      project('scenarios', { include: scenarios, isolate: false, provide: { adapters: ['memory'] } }),
      project('adapters', {
        include: [...onAdapters, ...onStorages],
        isolate: false,
        provide: { adapters: ['express + SQLite', 'msw'] },
      }),
      {
        extends: true,
        // Most users have msw 2, so the tests for msw 3 run with it too.
        resolve: { alias: [{ find: /^msw(?=\/|$)/, replacement: 'msw2' }] },
        test: { name: 'msw 2', include: ['packages/msw/src/**/*.test.ts'], isolate: false },
      },
      project('postgres', {
        include: onPostgres,
        isolate: false,
        ...waiting,
        provide: { adapters: ['express + PostgreSQL'] },
        globalSetup: 'apps/sandbox/src/storage/postgres/server.fixture.ts',
      }),
      project('quick-starts', { include: quickStarts, ...byWaiting }),
      project('published', {
        include: published,
        ...waiting,
        ...byWaiting,
        globalSetup: 'apps/e2e/src/published/tarballs.fixture.ts',
      }),
      // Each of these may start a process, so only a few of one file run at a time.
      project('system', { include: system, isolate: false, maxConcurrency: 4, ...waiting, ...byWaiting }),
    ],
    reporters: ['default', './.ci/skipped-tests.mjs'],
    sequence: { sequencer: LongestFirst },
    // By default, vitest leaves one core free: half of the machine, if it has two.
    maxWorkers: availableParallelism(),
    // Only a hanging test takes this long: at a load of 12 on two cores, the slowest test took 24 seconds, and every
    // poll less than 15. No test relies on these limits to show a bound: it advances a clock, or shows that something
    // slower ends later.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 5, timeout: 20_000 }, requireAssertions: true },
    // Concurrent tests wait for processes, callbacks or each other.
    maxConcurrency: 50,
    // A title states what its test shows, so it must not be truncated.
    taskTitleValueFormatTruncate: 0,
  },
})
