import type { Account, TenantControl } from '@lead-distribution/control-client'
import { type Choice, choices } from './draft.ts'

/** An outcome, a reason, an error or an event that a tenant can see. */
export type CoverageItem = Awaited<ReturnType<TenantControl['coverage']>>['items'][number]

type Item = Pick<CoverageItem, 'kind' | 'name'>

/** A link to the view that makes an item happen, everything filled in: its path below the tenant, and its label. */
export interface WayToSee {
  readonly path: string
  readonly label: string
}

const onALead: WayToSee = { path: 'leads?status=distributed', label: 'Report it on a lead' }

const drop = { operation: 'callback', effect: 'drop', times: '1' }

/** Returns the link to the view that makes an item happen; undefined if the console can't. */
export function wayToSee({ kind, name }: Item, { settings }: Pick<Account, 'settings'>): WayToSee | undefined {
  if (kind === 'event') return onALead
  if (kind === 'callback')
    return name === 'delivered' ? onALead : { path: `faults?${new URLSearchParams(drop)}`, label: 'Open in Faults' }
  const fitting = choices.filter(choice => shows(choice, { kind, name }))
  const choice = fitting.find(each => suits(each, settings)) ?? fitting[0]
  return choice && { path: `submit?${new URLSearchParams({ lead: choice.id })}`, label: 'Open in Submit' }
}

/** Returns true if the tenant's settings give a choice its outcome. */
function suits(choice: Choice, settings: Readonly<Record<string, unknown>>): boolean {
  const needed = 'entry' in choice ? (choice.entry.settings ?? {}) : {}
  return Object.entries(needed).every(([name, value]) => settings[name] === value)
}

/** Returns true if a submission shows an item. An unknown key is that of no tenant, so a scenario shows its error. */
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
