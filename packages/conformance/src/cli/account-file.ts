import { fieldIssues } from '@lead-distribution/contract/shapes'
import { z } from 'zod/mini'
import { type AccountDocument, type Facts, factsOfAccount } from '../facts.ts'
import { readJsonFile } from './baseline.ts'
import { CommandError } from './command-error.ts'

const band = z.object({ min: z.number(), max: z.number() })
const loan = { loan_amount: band, loan_term_months: band, minimum_monthly_income: z.number() }
const texts = z.array(z.string())

/** What the suite reads of an account; what else a sandbox shows may be absent. */
const account = z.object({
  base_url: z.string(),
  publisher: z.object({ publisher_id: z.string(), api_key: z.string() }),
  advertisers: z.array(
    z.object({
      advertiser_id: z.string(),
      api_key: z.string(),
      criteria: z.object({ ...loan, loan_purposes_excluded: texts }),
    }),
  ),
  products: z.array(
    z.object({
      product_id: z.string(),
      active: z.boolean(),
      criteria: z.object({
        ...loan,
        min_age: z.number(),
        max_age: z.number(),
        countries: texts,
        occupations_excluded: texts,
        fraud_ip_ranges: texts,
      }),
    }),
  ),
  blacklist: z.array(z.object({})),
})

/** The facts of an account in a file. Rejects with a {@link CommandError} that names each field that is not right. */
export async function accountIn(file: string): Promise<Facts> {
  const document = await readJsonFile(file, '--account')
  const issues = fieldIssues(account.safeParse(document).error?.issues ?? [], document)
  if (issues.length > 0)
    throw new CommandError(
      `${file} is no account: ${issues.map(({ field, issue }) => `${field} ${issue}`).join(', ')}. Begin with what lead-sandbox tenants show --json prints, and put your values in.`,
    )
  try {
    return factsOfAccount(document as AccountDocument)
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
