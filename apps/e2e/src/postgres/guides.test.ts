import { expect, it } from 'vitest'
import { allGuides, parseGuide } from '../guides/parse-guide.ts'
import { pressButton, runGuide, startsSandbox } from '../guides/run-guide.ts'
import { type Balanced, balancedLauncher } from './balanced.fixture.ts'

const launch = balancedLauncher()

it.each(allGuides.filter(({ markdown }) => !startsSandbox(parseGuide(markdown))))('$name comes out as it says over two processes', async ({ markdown, name }) => {
  let balanced: Balanced | undefined
  const t = performance.now()
  const c = process.resourceUsage()
  try {
  await runGuide(markdown, pressButton, undefined, async () => {
    balanced = await launch()
    return balanced
  })
  } finally {
  console.log(name, balanced?.requests, performance.now() - t)
  }
})
