import type { Account, TenantControl } from '@lead-distribution/control-client'
import { type Choice, choices } from './draft.ts'

/** An outcome, reason, error or event that a tenant can produce. */
export type CoverageItem = Awaited<ReturnType<TenantControl['coverage']>>['items'][number]

type Item = Pick<CoverageItem, 'kind' | 'name'>

/** A link to the view that produces an item, with everything filled in: the path below the tenant, and the label. */
export interface WayToSee {
  readonly path: string
  readonly label: string
}

const onALead: WayToSee = { path: 'leads?status=distributed', label: 'Report it on a lead' }

const drop = { operation: 'callback', effect: 'drop', times: '1' }

/** Returns the link to the view that produces an item; undefined if there is none. */
export function wayToSee({ kind, name }: Item, { settings }: Pick<Account, 'settings'>): WayToSee | undefined {
  if (kind === 'event') return onALead
  if (kind === 'callback')
    return name === 'delivered' ? onALead : { path: `faults?${new URLSearchParams(drop)}`, label: 'Open in Faults' }
  const fitting = choices.filter(choice => shows(choice, { kind, name }))
  const choice = fitting.find(each => suits(each, settings)) ?? fitting[0]
  return choice && { path: `submit?${new URLSearchParams({ lead: choice.id })}`, label: 'Open in Submit' }
}

/** Returns true if a choice has its outcome under the tenant's settings. */
function suits(choice: Choice, settings: Readonly<Record<string, unknown>>): boolean {
  const needed = 'entry' in choice ? (choice.entry.settings ?? {}) : {}
  return Object.entries(needed).every(([name, value]) => settings[name] === value)
}

/** Returns true if a submission can produce an item. An unknown key belongs to no tenant, so its error needs a scenario. */
function shows(choice: Choice, { kind, name }: Item): boolean {
  if ('scenario' in choice)
    return kind === 'error' ? name === 'unauthorized' && choice.scenario === 'http_401' : choice.scenario === name
  const { reaches } = choice.entry
  if (kind === 'error') return 'error' in reaches && reaches.error === name && name !== 'unauthorized'
  if ('error' in reaches) return false
  return kind === 'outcome'
    ? reaches.status === name
    : reaches.status === 'rejected' && reaches.rejection_reason === name
}
