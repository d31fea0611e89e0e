import { uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { diagnosePostback } from '../diagnosis/diagnose-postback.ts'
import { coverageKinds, coverageView, sumOfCounts } from '../journal/coverage.ts'
import { origins } from '../origin.ts'
import { tenantsOpenTo } from './access.ts'
import { noSuch } from './control-error.ts'
import { operation } from './operation.ts'
import { includesEmail, readPage, withEmails } from './paging.ts'
import {
  operationName,
  request,
  requestDetails,
  requestId,
  requestIdOf,
  requestNumberOf,
  requestView,
  wholeNumber,
} from './shapes.ts'

const wrongStatus = 'must be a status, a class such as 4xx, or cut or withheld for a response that never arrived'

const requestQuery = z.strictObject({
  operation: z.optional(operationName),
  status: z.optional(
    z.union([z.int(), z.string().check(z.regex(/^([0-9]xx|cut|withheld)$/, wrongStatus))], { error: wrongStatus }),
  ),
  lead_id: z.optional(uuid),
  include: includesEmail,
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(requestId),
})

const coverage = z.strictObject({
  seen: z.int(),
  total: z.int(),
  items: z.array(z.strictObject({ kind: z.enum(coverageKinds), name: z.string(), how: z.string(), count: z.int() })),
})

/** The caller to count. Default: the integration under test. */
const coverageQuery = z.strictObject({ origin: z.optional(z.enum(origins)) })

const coverageOfAllQuery = z.extend(coverageQuery, {
  prefix: z.optional(z.string().check(z.minLength(1), z.maxLength(63))),
})

/** The combined coverage of several tenants. */
const coverageOfAll = z.extend(coverage, { tenants: z.int() })

/** The body of a diagnosis. */
const postback = z.strictObject({ url: z.string().check(z.minLength(1), z.maxLength(8_192)) })

const diagnosis = z.strictObject({
  findings: z.array(
    z.strictObject({ check: z.string(), verdict: z.enum(['ok', 'warning', 'wrong']), message: z.string() }),
  ),
})

/** The number of other leads to compare a token with if it does not match its own lead. */
const otherLeads = 100

export const journalOperations = {
  listRequests: operation(
    {
      title: 'List requests',
      description:
        "Returns the requests to the service, newest first, with the decision on each. With `include=email`, each has its customer's e-mail address, if it concerns a lead or was rejected without creating one.",
      methods: ['GET'],
      path: '/tenants/:tenant/requests',
      input: requestQuery,
      reply: z.strictObject({
        requests: z.array(z.extend(request, { email: z.optional(z.string()) })),
        next: z.optional(z.string()),
      }),
    },
    async ({ tenant: { journal, storage }, input }) => {
      const { limit, before, operation, status, lead_id, include } = input
      const filter = {
        operation,
        status: status === undefined ? undefined : String(status),
        lead_id,
      }
      const { entries, ...next } = await readPage({
        limit,
        before,
        read: page =>
          journal.read({
            ...filter,
            ...page,
            before: page.before === undefined ? undefined : requestNumberOf(page.before),
          }),
        show: requestView,
        idOf: found => requestView(found).request_id,
      })
      if (!include) return { body: { requests: entries, ...next } }
      const [newest] = entries
      const rejections = newest
        ? await journal.readRejections(requestNumberOf(newest.request_id) + 1, entries.length)
        : []
      const emails = new Map(rejections.map(({ number, email }) => [requestIdOf(number), email]))
      const requests = await withEmails(storage, entries, ({ request_id }) => emails.get(request_id))
      return { body: { requests, ...next } }
    },
  ),
  showRequest: operation(
    {
      title: 'Show a request',
      description:
        'Returns a request to the service with its headers and, depending on the setting `journal_bodies`, its bodies, with personal data masked. With `full`, nothing is masked. For a submission that created no lead, includes every check of the decision.',
      methods: ['GET'],
      path: '/tenants/:tenant/requests/:request_id',
      reply: request,
    },
    async ({ tenant: { journal }, params: { request_id } }) => {
      const number = requestNumberOf(request_id)
      if (Number.isNaN(number)) return noSuch('request')
      const [found] = await journal.read({ before: number + 1, limit: 1 })
      if (found?.number !== number) return noSuch('request')
      return { body: requestDetails(found, await journal.readBodies(found.number)) }
    },
  ),
  showCoverage: operation(
    {
      title: 'Show the coverage of a tenant',
      description:
        'Returns the outcomes, reasons, errors and events that the integration under test has seen, and how to trigger the others. Use `origin` to count the console or the command line instead.',
      methods: ['GET'],
      path: '/tenants/:tenant/coverage',
      input: coverageQuery,
      reply: coverage,
    },
    async ({ tenant: { journal }, input: { origin } }) => ({ body: coverageView(await journal.coverage(), origin) }),
  ),
  showCoverageOfAll: operation(
    {
      title: 'Show the coverage of all tenants',
      description: 'Returns the combined coverage of all tenants that the token opens, or of those with a name prefix.',
      methods: ['GET'],
      path: '/coverage',
      input: coverageOfAllQuery,
      reply: coverageOfAll,
    },
    async ({ principal, input: { prefix = '', origin } }, { registry }) => {
      const tenants = tenantsOpenTo(principal, registry).filter(({ record }) => record.tenant.startsWith(prefix))
      const counts = sumOfCounts(await Promise.all(tenants.map(({ journal }) => journal.coverage())))
      return { body: { tenants: tenants.length, ...coverageView(counts, origin) } }
    },
  ),
  diagnosePostback: operation(
    {
      title: 'Diagnose a postback URL',
      description: "Runs the pixel's checks on the URL, step by step. Changes nothing.",
      methods: ['POST'],
      path: '/tenants/:tenant/diagnose',
      input: postback,
      reply: diagnosis,
    },
    async ({ tenant: { storage, account }, input }, { urls }) => {
      const findings = await diagnosePostback(input.url, {
        baseUrl: urls.base,
        findLead: leadId =>
          storage.read(async tables => {
            const lead = await tables.findLead(leadId)
            if (!lead) return undefined
            const others = await tables.listLeads({ limit: otherLeads })
            const otherLeadIds = others.map(({ lead_id }) => lead_id).filter(id => id !== leadId)
            return { lead, account, otherLeadIds }
          }),
      })
      return { body: { findings } }
    },
  ),
}
