import { ControlError } from '@lead-distribution/control-client'
import { Component, Fragment, type ReactNode, useEffect } from 'react'
import { useNavigationType } from 'react-router'
import { formatLostResponse, formatPreciseTime, formatTime, formatWord } from '../data/format.ts'
import { dismissError } from './toasts.tsx'

/** The meaning of a color: success, waiting, failure, information, or none. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

/** The tone of each status, state and verdict. */
const tones: Readonly<Record<string, Tone>> = {
  distributed: 'good',
  new: 'info',
  rejected: 'bad',
  received: 'good',
  ignored: 'plain',
  delivered: 'good',
  pending: 'warn',
  failed: 'bad',
  passed: 'good',
  skipped: 'plain',
  forced: 'warn',
  accepted: 'good',
  declined: 'plain',
  ok: 'good',
  warning: 'warn',
  wrong: 'bad',
}

/** A short colored text. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

/** A status, state or verdict by its wire word, in its color. */
export function StatusBadge({ word }: { readonly word: string }) {
  return <Badge tone={tones[word] ?? 'plain'}>{formatWord(word)}</Badge>
}

/**
 * The outcome of a request, which its HTTP status doesn't tell. The code of an error is plain text: its status has the
 * color.
 */
export function OutcomeBadge({ word }: { readonly word: string }) {
  return Object.hasOwn(tones, word) ? <StatusBadge word={word} /> : formatWord(word)
}

/**
 * The HTTP status of a response, or how the response was lost. It is about the transport, and only a failure has a color,
 * because a rejection is a 200.
 */
export function HttpStatus({ status, broken }: { readonly status: number; readonly broken?: string | undefined }) {
  if (status === 0) return <Badge tone="bad">{formatLostResponse(broken)}</Badge>
  return <Badge tone={status < 300 ? 'plain' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
}

/**
 * A time on the tenant's clock. Hovering shows the full date-time. With `zoned`, it ends with its zone; with `precise`, it
 * has milliseconds.
 */
export function Time({
  at,
  zoned,
  precise,
}: {
  readonly at: string
  readonly zoned?: boolean
  readonly precise?: boolean
}) {
  return (
    <>
      <time dateTime={at} title={at}>
        {precise ? formatPreciseTime(at) : formatTime(at)}
      </time>
      {zoned && ' UTC'}
    </>
  )
}

/** The header of a view: title, one sentence, and actions. */
export function PageHeader(props: {
  readonly title: string
  readonly about?: ReactNode
  readonly children?: ReactNode
}) {
  const { title } = props
  const isFollowed = useNavigationType() !== 'POP'
  useEffect(() => {
    document.title = `${title} · Lead sandbox`
    // The followed link and its focus are gone with the previous view, so the focus moves to the start of the new one.
    if (isFollowed && document.activeElement === document.body) document.getElementById('content')?.focus()
  }, [title, isFollowed])
  return (
    <header className="page-header">
      <div>
        <h1>
          {/* An e-mail address breaks between its parts. */}
          {title.split(/(?<=[@.+_-])/).map((part, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
            <Fragment key={place}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </h1>
        {props.about && <p>{props.about}</p>}
      </div>
      {props.children && <div className="actions">{props.children}</div>}
    </header>
  )
}

/** A framed part of a view. */
export function Card(props: {
  readonly title: ReactNode
  readonly actions?: ReactNode
  readonly flush?: boolean
  readonly children: ReactNode
}) {
  return (
    <section className="card">
      <header>
        <h2>{props.title}</h2>
        {props.actions && <div className="actions">{props.actions}</div>}
      </header>
      {props.flush ? props.children : <div className="body">{props.children}</div>}
    </section>
  )
}

/** A name and its value in a list of facts, left out without a value. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === undefined || children === null) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** A colored message. */
export function Note({ tone = 'info', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <div className={`note ${tone}`}>{children}</div>
}

/** A text from the sandbox, with the parts in backticks as code. */
export function Prose({ text }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
  return text.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
}

/** The message of an error and its invalid fields, if there is an error. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  useEffect(() => {
    if (error) dismissError(error)
  }, [error])
  if (!error) return null
  const details = ControlError.is(error) ? error.details : []
  const message = ControlError.is(error) ? error.reason : error instanceof Error ? error.message : String(error)
  return (
    <div className="note bad" role="alert">
      <p>
        <Prose text={message} />
      </p>
      <FieldIssues issues={details} />
    </div>
  )
}

/** The issues of invalid fields. With `onPick`, each field is a button. */
export function FieldIssues(props: {
  readonly issues: readonly { readonly field: string; readonly issue: string }[]
  readonly onPick?: (field: string) => void
}) {
  if (props.issues.length === 0) return null
  return (
    <ul className="stack">
      {props.issues.map(({ field, issue }) => (
        <li key={`${field} ${issue}`}>
          {props.onPick ? (
            <button type="button" className="small" onClick={() => props.onPick?.(field)}>
              <code>{field}</code>
            </button>
          ) : (
            <code>{field}</code>
          )}{' '}
          <Prose text={issue} />
        </li>
      ))}
    </ul>
  )
}

/** An empty state, with what to do next. */
export function Empty(props: { readonly title: string; readonly about: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{props.title}</h2>
      <p>{props.about}</p>
      {props.children}
    </div>
  )
}

/** A placeholder for a text that is loading. */
export function Skeleton() {
  return <span className="skeleton" aria-hidden="true" />
}

/** Shows an error in place of a view that fails to render, until `at` changes. Everything around it stays. */
export class ErrorBoundary extends Component<{
  readonly at?: string
  /** True for an optional part of the page. */
  readonly isSilent?: boolean
  readonly children: ReactNode
}> {
  override readonly state: { readonly thrown?: { readonly error: unknown } | undefined } = {}

  static getDerivedStateFromError(error: unknown) {
    return { thrown: { error } }
  }

  override componentDidUpdate(before: { readonly at?: string }) {
    if (this.state.thrown && before.at !== this.props.at) this.setState({ thrown: undefined })
  }

  override render() {
    const { thrown } = this.state
    if (!thrown) return this.props.children
    if (this.props.isSilent) return null
    return (
      <div className="failed stack">
        <PageHeader
          title="This view can't be shown"
          about="The page and the sandbox may be different versions. Reload the page. If that doesn't help, report the message below."
        >
          <button type="button" className="primary" onClick={() => globalThis.location.reload()}>
            Reload the page
          </button>
        </PageHeader>
        <ErrorNote error={thrown.error} />
      </div>
    )
  }
}
