import { basePath } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { type Choice, choices, type Draft, draftOf, newUuid } from './draft.ts'
import type { LeadContext } from './entries.ts'
import { distributedLead, findInTime } from './hit-fault.ts'
import { fetchFromSandbox, sandboxUrl } from './sandbox.ts'
import { submitToService } from './submission.ts'

/** An outcome, a reason, an error or an event that a tenant can see. */
export type CoverageItem = Awaited<ReturnType<TenantControl['coverage']>>['items'][number]

type Item = Pick<CoverageItem, 'kind' | 'name'>

type Settings = Readonly<Record<string, unknown>>

/**
 * Returns the choice of a submission that shows an item, or undefined if it takes more than a submission. Prefers one that
 * needs no setting of the account.
 */
export function choiceFor({ kind, name }: Item): Choice | undefined {
  const found = choices.filter(choice => {
    if (!('entry' in choice)) return false
    const { reaches } = choice.entry
    if (kind === 'error') return 'error' in reaches && reaches.error === name
    if ('error' in reaches) return false
    return kind === 'outcome'
      ? reaches.status === name
      : kind === 'reason' && reaches.status === 'rejected' && reaches.rejection_reason === name
  })
  return found.find(choice => 'entry' in choice && choice.entry.settings === undefined) ?? found[0]
}

/**
 * Makes a tenant see an item.
 * @throws Error if it didn't happen. The message says how to see it.
 */
export async function makeItHappen(item: CoverageItem, control: TenantControl, context: LeadContext): Promise<void> {
  const before = await countOf(control, item)
  if (item.kind === 'event') await reportEvent(control, item.name, context)
  else if (item.kind === 'callback') await causeCallback(control, item.name, context)
  else if (item.kind === 'error') await causeError(control, item, context)
  else await sendChoice(item, context)
  if ((await countOf(control, item)) === before) throw new Error(`It didn't happen here. ${item.how}`)
}

async function countOf(control: TenantControl, { kind, name }: Item): Promise<number> {
  const { items } = await control.coverage()
  return items.find(item => item.kind === kind && item.name === name)?.count ?? 0
}

/** Submits the test lead of an item or, if the account's settings or criteria don't allow it, forces the outcome. */
async function sendChoice(item: Item, context: LeadContext): Promise<void> {
  const choice = choiceFor(item)
  const forced = choices.find(each => 'scenario' in each && each.scenario === item.name)
  const needs: Settings = choice && 'entry' in choice ? (choice.entry.settings ?? {}) : {}
  const draft = (isSet(context, needs) && draftIfPossible(choice, context)) || draftIfPossible(forced, context)
  if (!draft) throw new Error(`The account's criteria don't allow ${item.name}. Submit says what to change.`)
  await send(draft, context)
}

function draftIfPossible(choice: Choice | undefined, { account, today }: LeadContext): Draft | undefined {
  try {
    return choice && draftOf(choice, account, today)
  } catch {
    // The criteria of the account don't allow it. Submit says why.
    return undefined
  }
}

async function send({ before, headers, body }: Draft, { account }: LeadContext): Promise<void> {
  const { api_key } = account.publisher
  for (const request of [...before, { headers, body }]) await submitToService(request, api_key)
}

/** Errors that take a setting of the tenant, which is set for a moment. */
const settingsOfErrors: Readonly<Record<string, Settings>> = {
  consents_missing: { semantic_refusals: 'http_422' },
  invalid_product: { semantic_refusals: 'http_422' },
  method_not_allowed: { status_methods: ['POST'] },
}

async function causeError(control: TenantControl, item: Item, context: LeadContext): Promise<void> {
  const { account } = context
  const [advertiser] = account.advertisers
  await withSettings(control, settingsOfErrors[item.name] ?? {}, context, async () => {
    // No key at all belongs to no tenant, and neither does an unknown one.
    if (item.name === 'unauthorized') await submitAs(advertiser?.api_key ?? '', context)
    else if (item.name === 'not_found') await reportStatus('POST', newUuid(), advertiser?.api_key)
    else if (item.name === 'method_not_allowed')
      await reportStatus('PATCH', await distributedLead(control, context), advertiser?.api_key)
    else await sendChoice(item, context)
  })
}

async function submitAs(apiKey: string, context: LeadContext): Promise<void> {
  const draft = draftIfPossible(choiceFor({ kind: 'outcome', name: 'distributed' }), context)
  await submitToService({ headers: { 'content-type': 'application/json' }, body: draft?.body ?? '{}' }, apiKey)
}

async function reportStatus(method: string, leadId: string, apiKey = ''): Promise<void> {
  await fetchFromSandbox(new URL(`${basePath.slice(1)}/lead/${leadId}/status`, sandboxUrl), {
    method,
    headers: { apikey: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'converted' }),
  })
}

async function reportEvent(control: TenantControl, event: string, context: LeadContext): Promise<string> {
  const lead_id = await distributedLead(control, context)
  // Only a status update can say `converted`.
  await control.leads.trigger(lead_id, { event, via: event === 'converted' ? 'body' : 'pixel' })
  return lead_id
}

/** Makes a callback succeed, fail for good, or fail and be sent again. */
async function causeCallback(control: TenantControl, outcome: string, context: LeadContext): Promise<void> {
  if (outcome === 'delivered') {
    await untilTried(control, await reportEvent(control, 'registration', context), 1)
    return
  }
  const settings = outcome === 'failed' ? { callback_retries: [] } : {}
  await withSettings(control, settings, context, async () => {
    const drop = { match: { operation: 'callback' }, effect: { drop: true }, times: 1 } as const
    const { fault_id } = await control.faults.add(drop)
    try {
      const lead_id = await reportEvent(control, 'registration', context)
      const callback_id = await untilTried(control, lead_id, 1)
      if (outcome !== 'retried') return
      await control.callbacks.resend(callback_id)
      await untilTried(control, lead_id, 2)
    } finally {
      await control.faults.remove(fault_id)
    }
  })
}

/** Waits until the callback of a lead was tried so often. */
async function untilTried(control: TenantControl, lead_id: string, tries: number): Promise<string> {
  const { callback_id } = await findInTime(async () => {
    const { callbacks } = await control.callbacks.list({ leadId: lead_id })
    return callbacks.find(({ attempts }) => attempts.length >= tries)
  })
  return callback_id
}

function isSet({ account }: LeadContext, wanted: Settings): boolean {
  const settings: Settings = { ...account.settings }
  return Object.entries(wanted).every(([name, value]) => JSON.stringify(settings[name]) === JSON.stringify(value))
}

/** Runs with settings of the tenant, which are then as they were. */
async function withSettings(
  control: TenantControl,
  wanted: Settings,
  context: LeadContext,
  run: () => Promise<void>,
): Promise<void> {
  if (isSet(context, wanted)) return run()
  const now: Settings = { ...context.account.settings }
  const before = Object.fromEntries(Object.keys(wanted).map(name => [name, now[name]]))
  await control.update({ settings: wanted })
  try {
    await run()
  } finally {
    await control.update({ settings: before })
  }
}
