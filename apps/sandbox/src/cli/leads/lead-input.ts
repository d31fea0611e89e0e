import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CommandFault } from '../exit-codes.ts'

/** What of an account stands in each lead of it. */
export interface LeadOwner {
  readonly publisher: { readonly publisher_id: string }
  readonly products: readonly { readonly product_id: string; readonly active: boolean }[]
}

/** Reads a file, or stdin where it is called `-`. */
export async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    throw new CommandFault(`Could not read ${file} (${code}): name a file that is there, or - for stdin.`)
  }
}

/**
 * The body of a submission, from what stands in a file: where that is a JSON object without a `product_id` or
 * `publisher_id`, those of the account. All else goes as it is: what is wrong with it is for the service to say.
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
