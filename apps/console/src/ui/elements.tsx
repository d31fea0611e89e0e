import { ControlError } from '@lead-distribution/control-client'
import { type ReactNode, useEffect, useId } from 'react'
import { useNavigationType } from 'react-router'
import { formatLostResponse, formatTime, formatWord } from '../data/format.ts'
import { dismissError } from './toasts.tsx'

/** What a colour says: delivered and accepted, waiting, refused, or nothing of these. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

/** The tone of each status of a lead and of each state of a callback. */
const tones: Readonly<Record<string, Tone>> = {
  distributed: 'good',
  new: 'info',
  rejected: 'bad',
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

/** A short text in a colour. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

/** A status, state or verdict by its wire word, in its colour. */
export function StatusBadge({ word }: { readonly word: string }) {
  return <Badge tone={tones[word] ?? 'plain'}>{formatWord(word)}</Badge>
}

/** The HTTP status of a response, in the color of its class; or how a response was lost. */
export function HttpStatus({ status, broken }: { readonly status: number; readonly broken?: string | undefined }) {
  if (status === 0) return <Badge tone="bad">{formatLostResponse(broken)}</Badge>
  return <Badge tone={status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
}

/** A time of the tenant; the whole date-time shows on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {formatTime(at)}
    </time>
  )
}

/** The head of a view: its name, one sentence, and what can be done. */
export function PageHeader(props: {
  readonly title: string
  readonly about?: ReactNode
  readonly children?: ReactNode
}) {
  const { title } = props
  const isFollowed = useNavigationType() === 'PUSH'
  useEffect(() => {
    document.title = `${title} · Lead sandbox`
    // The link that was followed is gone with its view, and the focus with it: the new view goes on from its beginning.
    if (isFollowed && document.activeElement === document.body) document.getElementById('content')?.focus()
  }, [title, isFollowed])
  return (
    <header className="page-header">
      <div>
        <h1>{title}</h1>
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

/** A message in a colour. */
export function Note({ tone = 'info', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <div className={`note ${tone}`}>{children}</div>
}

/** A sentence of the sandbox, with what it sets in backticks as code. */
export function Prose({ text }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
  return text.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
}

/** What went wrong with a call: the message of the sandbox, and each field that is wrong. Nothing where nothing did. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  useEffect(() => {
    if (error) dismissError(error)
  }, [error])
  if (!error) return null
  const details = error instanceof ControlError ? error.details : []
  const message = error instanceof ControlError ? error.reason : error instanceof Error ? error.message : String(error)
  return (
    <div className="note bad" role="alert">
      <p>
        <Prose text={message} />
      </p>
      <FieldIssues issues={details} />
    </div>
  )
}

/** What is wrong with which field; with `onPick`, a field can be gone to. */
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

/** A labelled input. The input is made with the id that its label names. */
export function Field(props: {
  readonly label: string
  readonly hint?: string | undefined
  readonly children: (ids: { id: string; 'aria-describedby'?: string }) => ReactNode
}) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children({ id, ...(props.hint && { 'aria-describedby': hintId }) })}
      {props.hint && (
        <span className="hint" id={hintId}>
          <Prose text={props.hint} />
        </span>
      )}
    </div>
  )
}

/** What shows where there is nothing yet, with what to do about it. */
export function Empty(props: { readonly title: string; readonly about: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{props.title}</h2>
      <p>{props.about}</p>
      {props.children}
    </div>
  )
}

/** A choice of a few, of which one is pressed. */
export function Segments<Value extends string>(props: {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}) {
  return (
    <fieldset className="segments" aria-label={props.label}>
      {props.options.map(({ value, label }) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  )
}
