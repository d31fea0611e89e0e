import type { RequestRecord } from '../../storage/records.ts'
import { type ControlCalls, type ControlContext, done, iso, onTenants } from '../context.ts'
import { readQuery } from '../control-error.ts'
import { defaultLimit, page } from '../paging.ts'
import { requestQuery } from './request.shape.ts'
import type { requestOperations } from './request-operations.ts'

/** What the operations on the journal do. */
export function requestCalls(context: ControlContext): ControlCalls<typeof requestOperations> {
  const onTenant = onTenants(context)
  return {
    listRequests: onTenant(async ({ journal }, { query }) => {
      const { value, refused } = readQuery(requestQuery, query)
      if (refused) return refused
      const { limit = defaultLimit, before, operation, status, lead_id } = value
      const found = await journal.read({
        operation,
        status: status === undefined ? undefined : String(status),
        lead_id: lead_id?.toLowerCase(),
        before: before === undefined ? undefined : Number(before.slice(1)),
        limit: limit + 1,
      })
      const { entries, next } = page(found, limit, idOf)
      return done({ requests: entries.map(requestView), ...next })
    }),
  }
}

const idOf = ({ number }: RequestRecord) => `r${number}`

function requestView({ number, at, ...request }: RequestRecord) {
  return { request_id: `r${number}`, at: iso(at), ...request }
}
