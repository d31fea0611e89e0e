import { Fragment, type ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { type ComparedField, type Comparison, compareLeads, compareRequests } from '../data/comparison.ts'
import { formatCount, formatWord } from '../data/format.ts'
import { useJournalEntry, useLead } from '../data/live.ts'
import { isMissing } from '../data/sandbox.ts'
import { Card, ErrorNote, HttpStatus, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { MissingEntry } from './list-detail.tsx'
import { RequestOutcome } from './request-details.tsx'
import './compare.css'

/** Two leads side by side: their input, checks, advertisers, events and callbacks. */
export function CompareLeads() {
  const { a = '', b = '' } = useParams()
  const leads = [useLead(a), useLead(b)] as const
  return (
    <Compared
      of="leads"
      read={leads}
      compare={compareLeads}
      side={({ lead_id, status, email, received_at }) => (
        <>
          <StatusBadge word={status} />
          <Link to={`../leads/${lead_id}`}>{email}</Link>
          <span className="muted">
            <Time at={received_at} />
          </span>
        </>
      )}
    />
  )
}

/** Two requests side by side: everything that the journal keeps of them. */
export function CompareRequests() {
  const { a = '', b = '' } = useParams()
  const entries = [useJournalEntry(a), useJournalEntry(b)] as const
  const [first, second] = entries.map(({ data }) => data?.lead_id)
  return (
    <Compared
      of="requests"
      read={entries}
      compare={compareRequests}
      side={entry => (
        <>
          <HttpStatus {...entry} />
          <Link to={`../requests/${entry.request_id}`}>{entry.request_id}</Link>
          <RequestOutcome entry={entry} />
          <span className="muted">
            <Time at={entry.at} precise />
          </span>
        </>
      )}
      actions={
        first &&
        second && (
          <Link className="button" to={`../compare/leads/${first}/${second}`}>
            Compare their leads
          </Link>
        )
      }
    />
  )
}

interface Read<Entry> {
  readonly data: Entry | undefined
  readonly error: unknown
}

function Compared<Entry>(props: {
  /** The name of the entries, which is also the path of their list. */
  readonly of: 'leads' | 'requests'
  readonly read: readonly [Read<Entry>, Read<Entry>]
  readonly compare: (a: Entry, b: Entry) => readonly Comparison[]
  readonly side: (entry: Entry) => ReactNode
  readonly actions?: ReactNode
}) {
  const { of, read, compare, side, actions } = props
  const { a: first } = useParams()
  const [a, b] = read
  const error = a.error ?? b.error
  const isGone = isMissing(error)
  return (
    <>
      <PageHeader title={`Compare two ${of}`} about={<Link to={`../${of}`}>{formatWord(of)}</Link>}>
        {actions}
        {!isGone && (
          <Link className="button" to={`../${of}?compare=${first}`}>
            Choose another
          </Link>
        )}
      </PageHeader>
      {isGone ? (
        <MissingEntry list={of} title="There is nothing to compare" about={`One of the ${of} isn't here any more.`} />
      ) : (
        <ErrorNote error={error} />
      )}
      {!isGone && a.data && b.data && (
        <>
          <div className="compared sides">
            {[a.data, b.data].map((entry, place) => (
              <div key={nameOfSide(place)} className="actions">
                <Side place={place} /> {side(entry)}
              </div>
            ))}
          </div>
          {compare(a.data, b.data)
            .toSorted(differingFirst)
            .map(comparison => (
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
  return <strong className="small-text">{nameOfSide(place)}</strong>
}

function Part({ comparison: { title, different, equal } }: { readonly comparison: Comparison }) {
  if (different.length + equal.length === 0) return null
  return (
    <Card title={different.length === 0 ? `${title}: no differences` : title} flush>
      {different.length > 0 && <FieldList fields={different} />}
      {equal.length > 0 && (
        <details className="equal">
          <summary>{formatCount(equal.length, 'equal field')}</summary>
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
    <dl className="lined">
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
