import type { LeadRecord } from '@lead-distribution/engine'
import type { LeadSearch } from '../storage/filters.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { refuseFields } from './control-error.ts'
import type { LeadQuery } from './leads.ts'

/** How many leads one transaction looks at, and one request: a search of a million leads is many short requests. */
const [window, mostRows] = [5_000, 20_000]

/** Reads a list of leads in its order. */
interface LeadList {
  read(page: { before: string | undefined; limit: number }): Promise<readonly LeadRecord[]>
  /** Where a search goes on that looked at its share and found less than was asked for. */
  stoppedAt(): string | undefined
}

/** The leads of a query; the refusal of a time that does not exist. */
export function leadList({ storage }: Tenant, query: LeadQuery): LeadList | ReturnType<typeof refuseFields> {
  const { limit: _, before: __, status, ...more } = query
  const email = more.email?.toLowerCase()
  const [from, to] = [timeOf(more.from), timeOf(more.to)]
  for (const [field, time] of Object.entries({ from, to }))
    if (Number.isNaN(time)) return refuseFields({ field, issue: 'must be a time that exists' })
  const isSearch = Object.entries(more).some(([name, value]) => name !== 'email' && value !== undefined)
  const transact = <Result>(work: (tables: SandboxTables) => Promise<Result>) => storage.transact(work)
  if (!isSearch)
    return {
      read: page => transact(tables => tables.listLeads({ status, email, ...page })),
      stoppedAt: () => undefined,
    }
  const search = {
    status,
    reason: more.reason,
    product_id: more.product_id?.toLowerCase(),
    email,
    from,
    to,
    email_part: more.email_part?.toLowerCase(),
  }
  return searching(search, find => transact(tables => tables.searchLeads(find)))
}

function searching(
  search: Omit<LeadSearch, 'rows' | 'limit' | 'before'>,
  find: (search: LeadSearch) => ReturnType<SandboxTables['searchLeads']>,
): LeadList {
  let rows = 0
  let stoppedAt: string | undefined
  return {
    async read({ before, limit }) {
      const leads: LeadRecord[] = []
      for (let last = before; leads.length < limit; rows += window) {
        if (rows >= mostRows) {
          stoppedAt = last
          break
        }
        const found = await find({ ...search, before: last, rows: window, limit: limit - leads.length })
        leads.push(...found.leads)
        if (found.next === undefined) break
        last = found.next
      }
      return leads
    },
    stoppedAt: () => stoppedAt,
  }
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))
