import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { formatLength, formatTime } from '../data/format.ts'
import { msAt, placeOf, scaleOf } from '../data/time-line.ts'
import { type DueEntry, lanes, type PastEntry } from '../data/timed-entries.ts'

/** The distance within which the pointer snaps to an entry's time, in units of the scale. */
const snap = 0.05

/**
 * Past entries, now and due entries in one picture, with a slider for a future time and a button that advances to it.
 * Marks in the past open their entries.
 */
export function TimeLine(props: {
  readonly now: string
  readonly past: readonly PastEntry[]
  readonly due: readonly DueEntry[]
  /** The number of entries that are due after these. */
  readonly more: number
  readonly isGoing: boolean
  readonly onGo: (at: string) => void
}) {
  const { past, due, more } = props
  const now = Date.parse(props.now)
  const [chosen, setChosen] = useState<number>()
  // The clock may have reached the chosen time.
  const target = chosen !== undefined && chosen > now ? chosen : undefined
  const fromNow = (at: string) => Date.parse(at) - now
  const scale = scaleOf([...past, ...due].map(({ at }) => fromNow(at)))
  const percent = (place: number) => (100 * (place - scale.from)) / (scale.to - scale.from)
  const left = (place: number) => `${percent(place)}%`
  const isPointer = useRef(false)
  const slider = useRef<HTMLInputElement>(null)
  const close = () => {
    setChosen(undefined)
    // The pressed button disappears, together with the focus.
    slider.current?.focus()
  }
  const choose = (place: number) => {
    // Otherwise, keys could not move away from an entry's time.
    const isNear = ({ at }: DueEntry) => fromNow(at) > 0 && Math.abs(placeOf(fromNow(at)) - place) < snap
    const nearest = isPointer.current ? due.find(isNear) : undefined
    setChosen(nearest ? Date.parse(nearest.at) : now + msAt(place))
  }
  const text = target === undefined ? 'Now' : `${formatTime(iso(target))}. ${whatFallsDue(due, more, target)}`
  return (
    <div className="time-line stack">
      <div className="picture">
        <div className="names muted" aria-hidden="true">
          {Object.values(lanes).map(name => (
            <span key={name}>{name}</span>
          ))}
        </div>
        <div className="axis">
          {scale.ticks.map(({ place, label }) => (
            <span
              key={label}
              className={`tick ${Math.abs(place) < 1 ? 'near' : ''}`}
              style={{ insetInlineStart: left(place) }}
              aria-hidden="true"
            >
              <span className="muted">{label}</span>
            </span>
          ))}
          <span className="tick now" style={{ insetInlineStart: left(0) }} aria-hidden="true">
            <span>Now</span>
          </span>
          {due.map(({ key, at, lane, label }) => (
            <span
              key={key}
              className={`mark due ${lane}`}
              style={{ insetInlineStart: left(placeOf(Math.max(0, fromNow(at)))) }}
              title={`${formatTime(at)}: ${label}`}
            />
          ))}
          <input
            ref={slider}
            type="range"
            aria-label="Go to a time"
            aria-valuetext={text}
            style={{ insetInlineStart: left(0), inlineSize: `calc(${100 - percent(0)}% + 16px)` }}
            min={0}
            max={scale.to}
            step="any"
            value={target === undefined ? 0 : placeOf(target - now)}
            onPointerDown={() => {
              isPointer.current = true
            }}
            onKeyDown={() => {
              isPointer.current = false
            }}
            onChange={event => choose(Number(event.target.value))}
          />
          {past.map(({ key, at, lane, label, to, tone, result }) => (
            <Link
              key={key}
              to={to}
              // The list of past entries has the same links.
              tabIndex={-1}
              className={`mark ${lane} ${tone}`}
              style={{ insetInlineStart: left(placeOf(Math.min(0, fromNow(at)))) }}
              title={`${formatTime(at)}: ${label}, ${result}`}
              aria-label={`${formatTime(at)}: ${label}, ${result}`}
            />
          ))}
        </div>
      </div>
      {target === undefined ? (
        <p className="muted">
          Drag the handle from now to a later time, or click there, to see what falls due until then.
        </p>
      ) : (
        <div className="actions">
          <p className="grow">
            <strong>{formatTime(iso(target))}</strong> <span className="muted">in {formatLength(target - now)}</span>
            <br />
            {whatFallsDue(due, more, target)}
          </p>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            className="primary"
            disabled={props.isGoing}
            onClick={() => {
              props.onGo(iso(target))
              close()
            }}
          >
            Go to this time
          </button>
        </div>
      )}
    </div>
  )
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Says what an advance to a time will do. */
function whatFallsDue(due: readonly DueEntry[], more: number, target: number): string {
  const until = due.filter(({ at }) => Date.parse(at) <= target)
  const held = until.filter(({ held }) => held === 'tenant' || held === 'listener').length
  const count = until.length - held
  const kept = held === 0 ? '' : ` ${held} held ${held === 1 ? 'callback stays' : 'callbacks stay'}.`
  if (count === 0) return `Nothing falls due until then.${kept}`
  // Later entries are unknown, and may be due too.
  const atLeast = more > 0 && until.length === due.length ? 'At least ' : ''
  const said =
    count === 1
      ? '1 thing falls due. It runs at its own time, with what it causes.'
      : `${count} things fall due. They run in order, with what they cause.`
  return `${atLeast}${said}${kept}`
}
