import { expect, it } from 'vitest'
import { allGuides, parseGuide } from '../guides/parse-guide.ts'
import { pressButton, runGuide, startsSandbox } from '../guides/run-guide.ts'
import { balancedLauncher } from './balanced.fixture.ts'

/** Receivers alone: no sandbox takes part. */
const withoutSandbox = ['callbacks-on-functions.md']
/** Those that start a sandbox run as they are written, in the tests of the guides. */
const onSandbox = allGuides.filter(
  ({ name, markdown }) => !withoutSandbox.includes(name) && !startsSandbox(parseGuide(markdown)),
)
const launch = balancedLauncher()

it.each(onSandbox)(
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
