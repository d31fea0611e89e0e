import { readFile } from 'node:fs/promises'
import { advertiserCriteria, type Criterion, decodeUtf8, productCriteria } from '@lead-distribution/contract'
import { fieldIssues } from '@lead-distribution/contract/shapes'
import { z } from 'zod/mini'
import { type AccountDocument, type Facts, factsOfAccount } from '../facts.ts'

/** An error for stderr, in full sentences that say what to do. The command exits with 2. */
export class CommandError extends Error {}

const band = z.object({ min: z.number(), max: z.number() })
const valueShapes = { integer: z.number(), band, list: z.array(z.string()) }

function shapeOf(criteria: Readonly<Record<string, Criterion>>) {
  return z.object(Object.fromEntries(Object.entries(criteria).map(([name, { type }]) => [name, valueShapes[type]])))
}

/** The part of an account that the suite reads. Everything else is optional. */
const account = z.object({
  base_url: z.string(),
  publisher: z.object({ publisher_id: z.string(), api_key: z.string() }),
  advertisers: z.array(
    z.object({
      advertiser_id: z.string(),
      api_key: z.string(),
      criteria: shapeOf(advertiserCriteria),
    }),
  ),
  products: z.array(
    z.object({
      product_id: z.string(),
      active: z.boolean(),
      criteria: shapeOf(productCriteria),
    }),
  ),
  blacklist: z.array(z.object({})),
})

/** Reads the facts from an account file. Rejects with a {@link CommandError} that names each invalid field. */
export async function accountIn(file: string): Promise<Facts> {
  const document = await readJsonFile(file)
  const issues = fieldIssues(account.safeParse(document).error?.issues ?? [], document)
  if (issues.length > 0)
    throw new CommandError(
      `${file} is not an account file: ${issues.map(({ field, issue }) => `${field} ${issue}`).join(', ')}. Start from the output of lead-sandbox tenants show --json, and fill in your values.`,
    )
  try {
    return factsOfAccount(document as AccountDocument)
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

async function readJsonFile(file: string): Promise<object> {
  const bytes = await readFile(file).catch(({ code }) => {
    throw new CommandError(`Could not read ${file} (${code}): pass an existing file to --account.`)
  })
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(`${file} ${error.message}`)
  }
  throw new CommandError(`${file} is not a JSON object: pass a file that holds one to --account.`)
}
