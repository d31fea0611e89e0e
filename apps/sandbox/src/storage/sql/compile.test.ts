import { expect, it } from 'vitest'
import { generatedSource } from './compile.ts'

it.each(['sqlite'] as const)('keeps the SQL of %s as Kysely makes it', async dialect => {
  await expect(generatedSource(dialect)).toMatchFileSnapshot(`./${dialect}.generated.ts`)
})
