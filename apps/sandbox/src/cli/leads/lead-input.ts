import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Option } from 'commander'
import { CommandError } from '../exit-codes.ts'

/** The ids of an account that each of its leads holds. */
export interface LeadOwner {
  readonly publisher: { readonly publisher_id: string }
  readonly products: readonly { readonly product_id: string; readonly active: boolean }[]
}

/** Reads a file, or stdin where its name is `-`. */
export async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`Could not read ${file} (${code}): name a file that is there, or - for stdin.`)
  }
}

/**
 * The content of a file as the body of a submission: a JSON object without a `product_id` or `publisher_id` gets those of
 * the account. Everything else is sent unchanged, so that the service reports what is wrong with it.
 */
export function withOwner(content: string, { publisher, products }: LeadOwner): string {
  const lead = objectIn(content)
  if (lead === undefined) return content
  const { publisher_id } = publisher
  const product_id = products.find(({ active }) => active)?.product_id
  return JSON.stringify({ product_id, publisher_id, ...lead })
}

function objectIn(content: string): object | undefined {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `--scenario`: forces the outcome of a submission. */
export function scenarioFlag(): Option {
  return new Option('--scenario <names>', 'force its outcome: distributed, age_restriction, http_503, …')
}

/** `--no-fill`: a submission goes unchanged. Commander looks for its default before a verb is loaded, so it is named. */
export function noFillFlag(): Option {
  const text = "send the file unchanged, without adding the account's product_id and publisher_id"
  return new Option('--no-fill', text).default(true)
}
