import { operations } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import type { Tenant } from '../tenants/runtime.ts'
import { noSuch, refuseFields } from './control-error.ts'
import { offersOf, runDry } from './leads.ts'
import { operation } from './operation.ts'
import type { DecidedLead } from './repro-file.ts'

/** A repro file. `repro-file.ts`, loaded on demand, has the full shape. */
const file = z.looseObject({ format: z.string() })

const notReproducible = refuseFields({
  field: 'lead_id',
  issue: 'must be a lead on which the account would still decide the same way',
})

const wrongPublisher = { field: 'publisher_id', issue: 'is not in this account' }

export const reproOperations = {
  reproduceLead: operation(
    {
      title: 'Reproduce a lead',
      description: 'Returns a file that reproduces the decision, without personal data.',
      methods: ['GET'],
      path: '/tenants/:tenant/leads/:lead_id/repro',
      reply: file,
    },
    async ({ tenant, params }) => {
      const lead = await tenant.storage.read(tables => tables.findLead(params.lead_id))
      if (!lead) return noSuch('lead')
      const file = await reproOf(
        { lead: lead.submission, trace: lead.trace, deliveries: lead.deliveries, now: lead.received_at },
        tenant,
      )
      return file ? { body: file } : notReproducible
    },
  ),
  reproduceSubmission: operation(
    {
      title: 'Reproduce a submission',
      description: 'Returns a file that reproduces the decision on a submission, even one that created no lead.',
      methods: ['POST'],
      path: '/tenants/:tenant/leads/repro',
      input: operations.submitLead.input,
      validation: 'handler',
      reply: file,
    },
    async ({ tenant, input, headers }) => {
      const { refused, result, now } = await runDry(tenant, input, headers)
      if (refused) return refused
      const { lead, trace } = result
      // The service refuses the request without a decision.
      if (!lead) return refuseFields(...((result.status === 'refused' && result.issues) || [wrongPublisher]))
      const file = await reproOf({ lead, trace, deliveries: offersOf(result), now }, tenant)
      if (!file) throw new Error('Stand-ins got another decision: standInLead left out a field that a check reads.')
      return { body: file }
    },
  ),
}

async function reproOf(decided: DecidedLead, { account }: Tenant) {
  const { makeRepro } = await import('./repro-file.ts')
  const made = await makeRepro(decided, account)
  return made && { ...made }
}
