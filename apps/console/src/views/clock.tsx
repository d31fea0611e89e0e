import { readDuration } from '@lead-distribution/contract'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { formatCount, formatHold, shortId } from '../data/format.ts'
import type { Values } from '../data/input-values.ts'
import { useAction, useClock } from '../data/live.ts'
import { type TimedEntry, usePast, useUpcoming } from '../data/timed-entries.ts'
import { ActionButton } from '../ui/actions.tsx'
import { Badge, Card, ErrorNote, PageHeader, Time } from '../ui/elements.tsx'
import { Form, TextField } from '../ui/forms.tsx'
import { TimeLine } from './time-line.tsx'
import './clock.css'

const steps = [
  { by: 'PT1M', label: '1 minute' },
  { by: 'PT1H', label: '1 hour' },
  { by: 'P1D', label: '1 day' },
  { by: 'P30D', label: '30 days' },
]

/** The tenant's clock as a time line: past entries, now, and everything that is due. */
export function ClockPage() {
  const clock = useClock()
  const advance = useAdvance()
  const past = usePast()
  const upcoming = useUpcoming()
  const isFrozen = clock.mode === 'frozen'
  const goTo = (at: string) => advance.mutate(durationUntil(at, clock.now))
  return (
    <>
      <PageHeader
        title="Clock"
        about="This tenant's time. Callback retries, scheduled events and duplicate windows run on it."
      />
      <div className="columns">
        <Card title="Now" actions={<Badge tone={isFrozen ? 'info' : 'good'}>{isFrozen ? 'Frozen' : 'Running'}</Badge>}>
          <p className="clock">
            <time dateTime={clock.now}>{clock.now.slice(0, 19).replace('T', ' ')}</time>
          </p>
          <p className="muted">UTC</p>
          <div className="actions">
            <ActionButton disabled={isFrozen} act={control => control.clock.freeze()}>
              Freeze
            </ActionButton>
            <ActionButton disabled={!isFrozen} act={control => control.clock.resume()}>
              Resume
            </ActionButton>
          </div>
        </Card>
        <Advance now={clock.now} advance={advance} />
      </div>
      <Card title="Time line">
        <TimeLine
          now={clock.now}
          past={past.entries}
          due={upcoming.entries}
          more={upcoming.more}
          isGoing={advance.isPending}
          onGo={goTo}
        />
      </Card>
      <div className="columns">
        <Entries
          title="Due next"
          {...upcoming}
          empty="Nothing is waiting."
          end={({ at, held }) => (
            <>
              {held && <Badge tone="warn">{formatHold(held)}</Badge>}
              <button type="button" className="small" {...advance.button} onClick={() => goTo(at)}>
                Go to <span className="visually-hidden">this time</span>
              </button>
            </>
          )}
        >
          {upcoming.more > 0 && <div className="body muted">{upcoming.more} more after these.</div>}
        </Entries>
        <Entries
          title="Past"
          {...past}
          empty="Nothing has happened yet."
          end={({ tone, result }) => <Badge tone={tone}>{result}</Badge>}
        />
      </div>
    </>
  )
}

const useAdvance = () =>
  useAction((control, text: string) => {
    const by = readDuration(text)
    if (by === undefined) throw new Error('Enter a duration such as 90s, 15m, 24h, 30d or P1DT12H.')
    return control.clock.advance({ by })
  })

/** Returns the duration from now to a time, at least a millisecond. */
function durationUntil(at: string, now: string): string {
  return `PT${Math.max(1, Date.parse(at) - Date.parse(now)) / 1_000}S`
}

function Advance({ now, advance }: { readonly now: string; readonly advance: ReturnType<typeof useAdvance> }) {
  const set = useAction((control, { time = '' }: Values) => {
    // The previous message is not about this.
    advance.reset()
    return control.clock.set(time.trim())
  }, 'The clock is set.')
  const { button, error, data: done } = advance
  function advanceBy(by: string): void {
    set.reset()
    advance.mutate(by.trim())
  }
  return (
    <Card title="Advance">
      <div className="actions">
        {steps.map(({ by, label }) => (
          <button key={by} type="button" {...button} onClick={() => advanceBy(by)}>
            + {label}
          </button>
        ))}
      </div>
      <form
        className="actions"
        onSubmit={event => {
          event.preventDefault()
          advanceBy(String(new FormData(event.currentTarget).get('by')))
        }}
      >
        <input aria-label="Duration" name="by" placeholder="90s, 24h or 30d" required />
        <button type="submit" {...button}>
          Advance
        </button>
      </form>
      <ErrorNote error={error} />
      <Form action={set}>
        <TextField
          label="Or set it forward to"
          hint="A time with its zone."
          name="time"
          required
          placeholder={`${now.slice(0, 19)}Z`}
        >
          <button type="submit" {...set.button}>
            Set
          </button>
        </TextField>
      </Form>
      {done && (
        <output className="note good">
          <p>
            {done.executed === 0 ? 'No job was due.' : `${formatCount(done.executed, 'due job')} ran in order.`}{' '}
            {done.pending === 0 ? 'None is waiting.' : `${formatCount(done.pending, 'job')} still waiting.`}
          </p>
        </output>
      )}
    </Card>
  )
}

/** The number of entries that a list shows before it is opened. */
const shownFirst = 8

/** A list of entries, of which the first ones are shown. */
function Entries<Entry extends TimedEntry>(props: {
  readonly title: string
  readonly entries: readonly Entry[]
  readonly error: unknown
  readonly empty: string
  /** Content at the end of an entry. */
  readonly end: (entry: Entry) => ReactNode
  /** The text at the end of the list. */
  readonly children?: ReactNode
}) {
  const { title, entries, error, empty, end, children } = props
  const [isOpen, setOpen] = useState(false)
  const isCut = !isOpen && entries.length > shownFirst
  return (
    <Card title={title} flush>
      <ErrorNote error={error} />
      {entries.length === 0 && <div className="body muted">{empty}</div>}
      <ol className="items">
        {(isCut ? entries.slice(0, shownFirst) : entries).map(entry => (
          <li key={entry.key}>
            <Time at={entry.at} />
            <Link to={entry.to}>
              {entry.label} <span className="muted">{shortId(entry.id)}</span>
            </Link>
            <span className="line end">{end(entry)}</span>
          </li>
        ))}
      </ol>
      {isCut ? (
        <div className="body">
          <button type="button" onClick={() => setOpen(true)}>
            Show {entries.length - shownFirst} more <span className="visually-hidden">of {title}</span>
          </button>
        </div>
      ) : (
        children
      )}
    </Card>
  )
}
