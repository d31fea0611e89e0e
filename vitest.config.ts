import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The tests that install packages as a user does, and need a network: `npm run check:quick-starts`. */
const quickStarts = ['apps/e2e/src/quick-starts/**/*.test.ts']

/** The tests of what is published, packed and installed as users do, which need a network: `npm run check:packages`. */
const published = ['apps/e2e/src/published/*.test.ts']

/** The tests of the service and the sandbox that need no process of their own. */
const scenarios = ['apps/e2e/src/{scenarios,adapters,storages,never-distribute}/**/*.test.ts']

/** The tests that start processes or browsers, or wait long: `npm run test:all` runs it, `npm test` does not. */
const system = [
  'apps/e2e/src/!(architecture|conformance|generated|scenarios|adapters|storages|never-distribute|postgres|published|quick-starts)/**/*.test.ts',
  'apps/sandbox/src/cli/certify*.test.ts',
  'apps/sandbox/src/**/kill*.test.ts',
]

/** The tests of what an adapter does itself: they run on the adapters other than memory too. */
const onAdapters = ['apps/e2e/src/adapters/**/*.test.ts', 'apps/e2e/src/never-distribute/redirect-origin.test.ts']

/** The tests of what depends on what is stored: they run on the storages other than memory too. */
const onStorages = ['apps/e2e/src/storages/**/*.test.ts']

/** PostgreSQL, whose server takes seconds to start, in `npm run test:all` alone. */
const onPostgres = [
  ...onStorages,
  'apps/e2e/src/adapters/concurrency.test.ts',
  'apps/e2e/src/postgres/**/*.test.ts',
  'apps/sandbox/src/storage/{contract,postgres}/**/*.test.ts',
]

/** Settings of tests that wait for processes, browsers and a database half of their time: one more at once than there are cores. */
const waiting = {
  maxWorkers: availableParallelism() + 1,
  sequence: { groupOrder: 1 },
  testTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Pages and guides show by what they wait for, of which vitest does not know. */
const byWaiting = { expect: { ...waiting.expect, requireAssertions: false } }

/** The files that take longest: they begin first, so that no core waits for one of them at the end. */
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
        // Most projects have msw 2: what is tested with msw 3 runs with it, too.
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
      // Each of these may start a process: not many of one file at a time.
      project('system', { include: system, isolate: false, maxConcurrency: 4, ...waiting, ...byWaiting }),
    ],
    reporters: ['default', './.ci/skipped-tests.mjs'],
    sequence: { sequencer: LongestFirst },
    // vitest keeps one core free by default: on two cores, half of them.
    maxWorkers: availableParallelism(),
    // Only what hangs takes this long: at a load of 12 on two cores, the slowest test took 24 seconds, and no poll 15. No test
    // shows a bound by these limits: it moves a clock, or something that takes longer must end after what is bounded.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 5, timeout: 20_000 }, requireAssertions: true },
    // Concurrent tests wait for processes, callbacks or each other.
    maxConcurrency: 50,
    // A title names the statement that its test shows: it must not be cut short.
    taskTitleValueFormatTruncate: 0,
  },
})
