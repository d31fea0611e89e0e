import { expect, it } from 'vitest'
import { allGuides, parseGuide } from '../guides/parse-guide.ts'
import { pressButton, runGuide, startsSandbox } from '../guides/run-guide.ts'
import { balancedLauncher } from './balanced.fixture.ts'

/** A guide for each thing that processes share: tenants, callbacks with their clock, snapshots. The others run once, alone. */
const names = ['parallel-tests.md', 'receiver-down.md', 'snapshots.md']
const stored = allGuides.filter(({ name }) => names.includes(name))
const launch = balancedLauncher()

it('runs guides that start no sandbox by themselves', () => {
  expect(stored.map(({ name, markdown }) => [name, startsSandbox(parseGuide(markdown))])).toEqual(
    names.map(name => [name, false]),
  )
})

it.each(stored)(
  '$name comes out as it says, each request going to the other of two processes',
  async ({ markdown }) => {
    const launched: Awaited<ReturnType<typeof launch>>[] = []
    await runGuide(markdown, pressButton, undefined, async () => {
      const balanced = await launch()
      launched.push(balanced)
      return balanced
    })
    const asked = launched.flatMap(({ requests }) => requests)
    expect(asked.filter(count => count > 0)).toHaveLength(2)
  },
)
