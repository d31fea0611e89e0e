import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { crash, randomOf } from './crashes.fixture.ts'
import { type Disturbance, startFleet, startPostgres } from './fleet.fixture.ts'

/**
 * A short run, or `LEAD_TEST_CRASHES` long ones. `LEAD_TEST_SEED` repeats the order of a run whose test
 * failed: its message names the seed.
 */
const longRuns = Number(process.env.LEAD_TEST_CRASHES ?? 0)
const seed = Number(process.env.LEAD_TEST_SEED ?? randomInt(2 ** 31))

const times = (count: number, what: Disturbance) => Array.from({ length: count }, () => what)
const disturbances =
  longRuns > 0
    ? [...times(16, 'kill'), ...times(3, 'stop'), ...times(2, 'restart')]
    : [...times(5, 'kill'), ...times(1, 'stop'), ...times(1, 'restart')]

const processes = launcher()

it(`loses and duplicates nothing while processes are killed and the database restarts (seed ${seed})`, {
  timeout: 900_000 * Math.max(1, longRuns),
}, async () => {
  const random = randomOf(seed)
  await using postgres = await startPostgres()
  await using fleet = await startFleet(processes, postgres, 4, random)
  for (let run = 1; run <= Math.max(1, longRuns); run++) {
    const { violations, ...figures } = await crash(`run-${run}`, postgres, fleet, disturbances, random)
    if (longRuns > 0) console.log(run, figures)
    expect(violations.slice(0, 10)).toEqual([])
    // Without work, nothing could be lost.
    expect(Math.min(figures.submissions, figures.events, figures.callbacks, figures.advances)).toBeGreaterThan(0)
  }
})
