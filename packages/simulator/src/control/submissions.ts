import { isUuid, rejections as rejectionRules } from '@lead-distribution/contract'
import { uuid } from '@lead-distribution/contract/shapes'
import type { LeadRecord } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import type { RejectionRecord } from '../storage/records.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { leadFilter, leadList, refuseTimes, timeOf } from './leads.ts'
import { operation } from './operation.ts'
import { readPage } from './paging.ts'
import { iso, leadSummary, requestId, requestIdOf, requestNumberOf, summaryView } from './shapes.ts'

/** A position in both lists: below a journal number and, with a lead, older than that lead. */
const cursor = z.string().check(
  z.refine(text => {
    const [number = '', lead, ...more] = text.split('.')
    return requestId.safeParse(number).success && (lead === undefined || isUuid(lead)) && more.length === 0
  }, 'must be the `next` of an earlier page'),
)

const submissionQuery = z.strictObject({ ...leadFilter, before: z.optional(cursor) })

type SubmissionQuery = z.output<typeof submissionQuery>

/** A lead, or a rejection that created none. A rejection has a journal request in place of a lead. */
const submission = z.extend(leadSummary, { lead_id: z.optional(uuid), request_id: z.optional(requestId) })

export const submissionOperations = {
  listSubmissions: operation(
    {
      title: 'List submissions',
      description:
        'Returns leads and the rejections that created no lead, merged, newest first. Such rejections have a `request_id` in place of a `lead_id`, and are available as long as their requests are in the journal. A page of search results may contain fewer entries than the limit and still have a next page. `customer` and `external_id` search as in the list of leads; such a rejection is found only by its e-mail address.',
      methods: ['GET'],
      path: '/tenants/:tenant/submissions',
      input: submissionQuery,
      reply: z.strictObject({ submissions: z.array(submission), next: z.optional(z.string()) }),
    },
    async ({ tenant, input }) => {
      const refused = refuseTimes(input)
      if (refused) return refused
      const list = submissionList(tenant, input)
      const { limit, before } = input
      const { entries, next = list.stoppedAt() } = await readPage({
        limit,
        before,
        read: list.read,
        show: ({ lead, rejection }) => (lead ? summaryView(lead) : rejectionView(rejection)),
        idOf: submission => submission.cursor,
      })
      return { body: { submissions: entries, ...(next !== undefined && { next }) } }
    },
  ),
}

type Submission = { readonly cursor: string } & (
  | { readonly lead: LeadRecord; readonly rejection?: never }
  | { readonly rejection: RejectionRecord; readonly lead?: never }
)

/**
 * Merges the leads and rejections that match. A cursor holds a position in both lists, so that no entry is skipped or
 * repeated.
 */
function submissionList(tenant: Tenant, query: SubmissionQuery) {
  const { status = 'rejected', reason, limit: _, before: __, ...more } = query
  const { journal, storage } = tenant
  const list = leadList(tenant, { ...query, before: undefined })
  const isFiltered = reason !== undefined || Object.values(more).some(value => value !== undefined)
  let stoppedAt: string | undefined

  async function rejectionsBelow(number: number | undefined, limit: number): Promise<readonly RejectionRecord[]> {
    if (status !== 'rejected') return []
    const found = await journal.readRejections(number, isFiltered ? undefined : limit)
    return found.filter(rejection => matches(rejection, query))
  }

  return {
    async read({ before, limit }: { readonly before: string | undefined; readonly limit: number }) {
      const [id, olderThan] = before?.split('.') ?? []
      const below = id === undefined ? undefined : requestNumberOf(id)
      const leads = storesLead(reason) ? await list.read({ before: olderThan, limit }) : []
      const rejections = await rejectionsBelow(below, limit)
      const stopped = list.stoppedAt()
      const lastRead = stopped === undefined ? undefined : await storage.read(tables => tables.findLead(stopped))
      // Rejections older than the last lead that the search read may belong after leads of the next page.
      const since = stopped === undefined ? Number.NEGATIVE_INFINITY : (lastRead?.received_at ?? Infinity)
      let number = below ?? (rejections[0]?.number ?? 0) + 1
      let last = olderThan
      const found: Submission[] = []
      for (let [atLead, atRejection] = [0, 0]; found.length < limit; ) {
        const [lead, rejection] = [leads[atLead], rejections[atRejection]]
        // At equal times, the rejection counts as later: usually its customer already has the lead.
        if (rejection && rejection.at >= (lead?.received_at ?? since)) {
          atRejection++
          number = rejection.number
          found.push({ rejection, cursor: cursorOf(number, last) })
        } else if (lead) {
          atLead++
          last = lead.lead_id
          found.push({ lead, cursor: cursorOf(number, last) })
        } else break
      }
      stoppedAt = stopped === undefined ? undefined : cursorOf(number, stopped)
      return found
    },
    /** Returns where to continue a search that reached its read limit. */
    stoppedAt: () => stoppedAt,
  }
}

const cursorOf = (number: number, lead: string | undefined) => [requestIdOf(number), lead ?? []].flat().join('.')

/** Returns false for a reason whose rejections never create a lead. */
function storesLead(reason: string | undefined): boolean {
  const rules = Object.values(rejectionRules).filter(rule => rule.reason === reason)
  return rules.length === 0 || rules.some(({ kind }) => kind === 'with_lead')
}

function matches(rejection: RejectionRecord, query: SubmissionQuery): boolean {
  const { reason, product_id, email, at } = rejection
  const { from, to, customer = '' } = query
  return (
    (query.reason ?? reason) === reason &&
    (query.product_id ?? product_id) === product_id &&
    (query.email?.toLowerCase() ?? email) === email &&
    query.external_id === undefined &&
    email.includes(customer.toLowerCase()) &&
    at >= (timeOf(from) ?? Number.NEGATIVE_INFINITY) &&
    at < (timeOf(to) ?? Infinity)
  )
}

function rejectionView({ number, at, reason, ...rejection }: RejectionRecord) {
  return {
    ...rejection,
    request_id: requestIdOf(number),
    status: 'rejected' as const,
    rejection_reason: reason,
    advertisers: [],
    received_at: iso(at),
  }
}
