import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { decideAgain, type SubmitResult } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { accountOf } from '../tenants/account.ts'
import { accountChange, changeTenant, choosesCredentials } from '../tenants/change-tenant.ts'
import { adminOnly } from './access.ts'
import { accountView, readChange } from './account.ts'
import { refuseFields } from './control-error.ts'
import { operation } from './operation.ts'
import { iso } from './shapes.ts'

/** The number of leads that a preview considers. */
const maxLeads = 200

/** The outcome for a lead: its status, or the error code of a submission that creates none. */
const outcome = z.strictObject({
  status: z.optional(z.enum(leadStatuses)),
  rejection_reason: z.optional(z.enum(rejectionReasons)),
  error: z.optional(z.string()),
  hint: z.optional(z.string()),
})

export const previewOperations = {
  previewChange: operation(
    {
      // It changes nothing.
      needs: 'read',
      title: 'Preview a change',
      description: `Returns those of the latest ${maxLeads} leads that would be decided differently after this account change. Changes nothing. Decides each lead at the time of its submission, as if its customer were new, and skips leads with a forced outcome.`,
      methods: ['POST'],
      path: '/tenants/:tenant/preview',
      input: accountChange,
      reply: z.strictObject({
        /** The number of leads considered. */
        leads: z.int(),
        changed: z.array(
          z.strictObject({
            lead_id: uuid,
            email: z.string(),
            received_at: dateTime,
            before: outcome,
            after: outcome,
          }),
        ),
      }),
    },
    async ({ principal, tenant, input }, { registry, urls, demo }) => {
      const { change, refused } = readChange(input, accountView(tenant, urls))
      if (refused) return refused
      // Only the operator may learn that a key is taken.
      if (choosesCredentials(change) && principal.role !== 'admin') return adminOnly
      const { record, issues } = await changeTenant(tenant.record, change, registry.holderOf)
      if (issues) return refuseFields(...issues)
      const account = accountOf(record, urls, demo.mayKeepFull)
      const latest = await tenant.storage.read(tables => tables.listLeads({ limit: maxLeads }))
      const decided = latest.filter(({ trace }) => !trace.some(({ verdict }) => verdict === 'forced'))
      const changed = []
      for (const lead of decided) {
        const before = outcomeOf(await decideAgain(tenant.ports, tenant.account, lead))
        const after = outcomeOf(await decideAgain(tenant.ports, account, lead))
        const isSame = (['status', 'rejection_reason', 'error'] as const).every(name => before[name] === after[name])
        const { lead_id, email, received_at } = lead
        if (!isSame) changed.push({ lead_id, email, received_at: iso(received_at), before, after })
      }
      return { body: { leads: decided.length, changed } }
    },
  ),
}

function outcomeOf(result: SubmitResult): z.output<typeof outcome> {
  const { status, trace } = result
  const hint = trace.find(({ verdict }) => verdict === 'rejected')?.hint
  const why = hint === undefined ? {} : { hint }
  if (status === 'refused') return { error: result.error, ...why }
  if (status === 'rejected') return { status, rejection_reason: result.reason, ...why }
  // No outcome is forced here.
  return status === 'undecided' ? {} : { status }
}
