import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { type ComparedField, type Comparison, compareCalls, compareLeads } from '../data/comparison.ts'
import { liveKey, useLead } from '../data/live.ts'
import { isMissing, sandbox } from '../data/sandbox.ts'
import { Card, Empty, ErrorNote, HttpStatus, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { outcomeOf } from './call-details.tsx'
import './compare.css'

/** Two leads side by side: their input, checks, advertisers, events and callbacks. */
export function CompareLeads() {
  const { tenant = '', a = '', b = '' } = useParams()
  const first = useLead(tenant, a)
  const second = useLead(tenant, b)
  return (
    <Compared
      title="Compare two leads"
      list={{ label: 'Leads', to: `/${tenant}/leads` }}
      error={first.error ?? second.error}
      missing="One of the leads isn't here any more. Resetting the tenant deletes its leads, and restoring a snapshot replaces them."
      comparisons={first.data && second.data && compareLeads(first.data, second.data)}
      sides={[first.data, second.data].map(
        lead =>
          lead && (
            <>
              <StatusBadge word={lead.status} />
              <Link to={`/${tenant}/leads/${lead.lead_id}`}>{lead.email}</Link>
              <span className="muted">
                <Time at={lead.received_at} />
              </span>
            </>
          ),
      )}
      another={`/${tenant}/leads?compare=${a}`}
    />
  )
}

/** Two calls side by side: everything that the journal keeps of them. */
export function CompareCalls() {
  const { tenant = '', a = '', b = '' } = useParams()
  const first = useCall(tenant, a)
  const second = useCall(tenant, b)
  return (
    <Compared
      title="Compare two calls"
      list={{ label: 'Calls', to: `/${tenant}/calls` }}
      error={first.error ?? second.error}
      missing="One of the calls isn't here any more. The journal keeps the newest calls, and resetting or restoring the tenant empties it."
      comparisons={first.data && second.data && compareCalls(first.data, second.data)}
      sides={[first.data, second.data].map(
        call =>
          call && (
            <>
              <HttpStatus {...call} />
              <Link to={`/${tenant}/calls/${call.request_id}`}>{call.request_id}</Link>
              {outcomeOf(call)}
              <span className="muted">
                <Time at={call.at} />
              </span>
            </>
          ),
      )}
      another={`/${tenant}/calls?compare=${a}`}
      actions={
        first.data?.lead_id &&
        second.data?.lead_id && (
          <Link className="button" to={`/${tenant}/compare/leads/${first.data.lead_id}/${second.data.lead_id}`}>
            Compare their leads
          </Link>
        )
      }
    />
  )
}

function useCall(tenant: string, request_id: string) {
  return useQuery({
    queryKey: liveKey(tenant, 'call', request_id),
    queryFn: () => sandbox.control(tenant).requests.show(request_id),
  })
}

function Compared(props: {
  readonly title: string
  readonly list: { readonly label: string; readonly to: string }
  readonly error: unknown
  /** Says why one of the two may be missing. */
  readonly missing: string
  readonly sides: readonly ReactNode[]
  /** Undefined while the two are loaded. */
  readonly comparisons: readonly Comparison[] | undefined
  /** The address at which another one is chosen as the second. */
  readonly another: string
  readonly actions?: ReactNode
}) {
  const { title, list, error, missing, sides, comparisons, another, actions } = props
  const isGone = isMissing(error)
  return (
    <>
      <PageHeader title={title} about={<Link to={list.to}>{list.label}</Link>}>
        {actions}
        {!isGone && (
          <Link className="button" to={another}>
            Choose another
          </Link>
        )}
      </PageHeader>
      {isGone ? (
        <Empty title="There is nothing to compare" about={missing}>
          <Link className="button primary" to={list.to}>
            Show {list.label.toLowerCase()}
          </Link>
        </Empty>
      ) : (
        <ErrorNote error={error} />
      )}
      {!isGone && comparisons && (
        <>
          <div className="compared sides">
            {sides.map((side, place) => (
              <div key={nameOfSide(place)} className="side">
                <Side place={place} /> {side}
              </div>
            ))}
          </div>
          {comparisons.toSorted(differingFirst).map(comparison => (
            <Part key={comparison.title} comparison={comparison} />
          ))}
        </>
      )}
    </>
  )
}

const differingFirst = (a: Comparison, b: Comparison) => Number(b.different.length > 0) - Number(a.different.length > 0)

const nameOfSide = (place: number) => (place === 0 ? 'A' : 'B')

function Side({ place }: { readonly place: number }) {
  return <strong className="side-name">{nameOfSide(place)}</strong>
}

function Part({ comparison: { title, different, equal } }: { readonly comparison: Comparison }) {
  if (different.length + equal.length === 0) return null
  const equals = equal.length === 1 ? '1 equal field' : `${equal.length} equal fields`
  return (
    <Card title={different.length === 0 ? `${title}: no differences` : title} flush>
      {different.length > 0 && <FieldList fields={different} />}
      {equal.length > 0 && (
        <details className="equal">
          <summary>{equals}</summary>
          <FieldList fields={equal} />
        </details>
      )}
    </Card>
  )
}

/** A path that wraps after its dots. */
function Path({ name }: { readonly name: string }) {
  return name.split('.').map((part, depth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path have no other name.
    <Fragment key={depth}>
      {depth > 0 && '.'}
      <wbr />
      {part}
    </Fragment>
  ))
}

function FieldList({ fields }: { readonly fields: readonly ComparedField[] }) {
  return (
    <dl>
      {fields.map(({ name, a, b }) => (
        <div key={name} className="compared">
          <dt>
            <Path name={name} />
          </dt>
          {[a, b].map((value, place) => (
            <dd key={nameOfSide(place)}>
              <Side place={place} /> {value ?? <span className="muted">None</span>}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}
