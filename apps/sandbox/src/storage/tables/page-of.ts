import type { Page } from '../sql/page.ts'

/** In UTF-8 it comes behind every id. */
const afterAllIds = '\uffff'

/** A page as a query takes it: without `before`, from the newest. */
export function pageOf(tenant: string, page: { before?: string | undefined; limit: number }): Page {
  return { tenant, before: page.before ?? afterAllIds, limit: page.limit }
}
