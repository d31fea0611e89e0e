import { validationError } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { explainLead } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { applyScenario, refuseScenario } from '../faults/scenarios.ts'
import { scenarioHeader } from '../paths.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { operation } from './operation.ts'
import type { DecidedLead } from './repro-file.ts'

/** A repro file. Its whole shape is in `run-repro.ts`, for those who run one. */
const file = z.looseObject({ format: z.string() })

const notReproducible = controlError(
  'not_reproducible',
  'The account has changed since this decision, and decides differently now. Change it back, or submit the lead again.',
)

/** The operations that make repro files. */
export const reproOperations = {
  reproduceLead: operation(
    {
      title: 'Reproduce a lead',
      description:
        'Returns the smallest file that reproduces the decision on a lead anywhere: criteria, settings, time, and a submission in which stand-ins replace all personal data.',
      methods: ['GET'],
      path: '/tenants/:tenant/leads/:lead_id/repro',
      reply: file,
      errors: ['not_reproducible'],
    },
    async ({ tenant, params }) => {
      const lead = await tenant.storage.read(tables => tables.findLead(params.lead_id.toLowerCase()))
      if (!lead) return noSuch('lead')
      const file = await reproOf({ lead: lead.submission, trace: lead.trace, now: lead.received_at }, tenant)
      return file ? { body: file } : notReproducible
    },
  ),
  reproduceSubmission: operation(
    {
      title: 'Reproduce a submission',
      description:
        'Returns the smallest file that reproduces the decision that this submission would get, without submitting it: also one that stores no lead.',
      methods: ['POST'],
      path: '/tenants/:tenant/leads/repro',
      input: operations.submitLead.input,
      validation: 'handler',
      reply: file,
    },
    async ({ tenant, input, headers }) => {
      const { ports, account, clock } = tenant
      const scenario = headers[scenarioHeader]
      const refused = refuseScenario(scenario)
      if (refused) return refused
      const now = clock.now()
      const findForcedOutcome = applyScenario(scenario, { dry: true })
      const result = await explainLead({ ...ports, clock: { now: () => now } }, account, {
        body: input,
        findForcedOutcome,
      })
      // The service refuses the request: no decision is made.
      if (result.status === 'refused' || !result.lead)
        return result.status === 'refused' && result.error === 'validation_error'
          ? validationError(result.issues)
          : refuseFields({ field: 'publisher_id', issue: 'must be the publisher_id of this account' })
      const file = await reproOf({ lead: result.lead, trace: result.trace, now }, tenant)
      if (!file) throw new Error('The stand-ins of a repro file got another decision than the submission.')
      return { body: file }
    },
  ),
}

async function reproOf(decided: DecidedLead, { account }: Tenant) {
  const { makeRepro } = await import('./repro-file.ts')
  const made = await makeRepro(decided, account)
  return made && { ...made }
}
