import type { TenantControl } from '@lead-distribution/control-client'
import { keepPreviousData } from '@tanstack/react-query'
import { Link } from 'react-router'
import { formatCount, formatWord } from '../data/format.ts'
import { useDebounced } from '../data/input-values.ts'
import { useRead, useTenant } from '../data/live.ts'
import { Prose } from '../ui/elements.tsx'

type AccountChange = Parameters<TenantControl['preview']>[0]
type ChangedLead = Awaited<ReturnType<TenantControl['preview']>>['changed'][number]

/** The maximum number of leads listed in a row. */
const maxNamed = 3

/** Shows which of the latest leads an account change would decide differently, before it is saved. */
export function WhatIf({ change }: { readonly change: AccountChange }) {
  const settled = useDebounced(JSON.stringify(change))
  const { data } = useRead(['preview', settled], control => control.preview(JSON.parse(settled)), {
    placeholderData: keepPreviousData,
    // A value that is not valid yet has no preview; saving it says what is wrong.
    retry: false,
  })
  if (!data || data.leads === 0) return null
  const { leads, changed } = data
  return (
    <div className="what-if" role="status">
      {changed.length === 0 ? (
        `None of the latest ${formatCount(leads, 'lead')} would be decided differently.`
      ) : (
        <details>
          <summary>
            {changed.length} of the latest {formatCount(leads, 'lead')} would be decided differently
          </summary>
          <ul>
            {[...byTurn(changed)].map(([turn, those]) => (
              <Turn key={turn} turn={turn} leads={those} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Turn({ turn, leads }: { readonly turn: string; readonly leads: readonly ChangedLead[] }) {
  const tenant = useTenant()
  const hint = leads[0]?.after.hint
  return (
    <li>
      <strong>{leads.length}</strong> {turn}
      {hint !== undefined && (
        <span className="muted">
          {' '}
          <Prose text={hint} />
        </span>
      )}
      <br />
      {leads.slice(0, maxNamed).map(({ lead_id, email }, place) => (
        <span key={lead_id}>
          {place > 0 && ', '}
          <Link to={`/${tenant}/leads/${lead_id}`}>{email}</Link>
        </span>
      ))}
      {leads.length > maxNamed && <span className="muted"> and {leads.length - maxNamed} more</span>}
    </li>
  )
}

/** Groups leads by how their decision changes. */
function byTurn(leads: readonly ChangedLead[]): Map<string, ChangedLead[]> {
  return Map.groupBy(leads, ({ before, after }) => `${outcomeOf(before)} → ${outcomeOf(after)}`)
}

const outcomeOf = ({ status, rejection_reason, error }: ChangedLead['before']) =>
  formatWord(error ?? rejection_reason ?? status ?? '')
