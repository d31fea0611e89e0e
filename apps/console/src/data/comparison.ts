import type { JournalEntry, Lead } from './entries.ts'
import { formatValue, formatWord } from './format.ts'

/** One side's fields, as text by name. */
type Fields = ReadonlyMap<string, string>

/** A field on both sides; undefined on a side without it. */
export interface ComparedField {
  readonly name: string
  readonly a: string | undefined
  readonly b: string | undefined
}

/** A part of a comparison: different and equal fields. */
export interface Comparison {
  readonly title: string
  readonly different: readonly ComparedField[]
  readonly equal: readonly ComparedField[]
}

/** Compares two leads: outcome, input, checks, advertisers, events and callbacks. Leaves out ids and times. */
export function compareLeads(a: Lead, b: Lead): readonly Comparison[] {
  const part = (title: string, fieldsOf: (lead: Lead) => Fields) => compareFields(title, fieldsOf(a), fieldsOf(b))
  return [
    part('Outcome', ({ status, rejection_reason }) =>
      leavesOf({
        Status: formatWord(status),
        Reason: rejection_reason && formatWord(rejection_reason),
      }),
    ),
    part('Input', ({ submission }) => leavesOf(submission)),
    part('Checks', ({ trace }) => checksOf(trace)),
    part('Advertisers', ({ deliveries }) =>
      numbered(
        deliveries.map(({ name, decision, reasons, backend }) => [
          name,
          joined([
            formatWord(decision),
            ...reasons.map(formatWord),
            backend && `backend ${backend.status ?? backend.error}`,
          ]),
        ]),
      ),
    ),
    part('Events', ({ events }) =>
      numbered(
        events.map(({ event, reported_as, via, ref, metadata }) => [
          formatWord(event),
          joined([
            via === 'pixel' ? 'Postback URL' : 'Status update',
            reported_as !== event && `as ${reported_as}`,
            ref && `reference ${ref}`,
            metadata && formatValue(metadata),
          ]),
        ]),
      ),
    ),
    part('Callbacks', ({ callbacks, lead_id }) =>
      numbered(
        callbacks.map(({ event, state, attempts, synthetic, url }) => [
          formatWord(event),
          joined([
            formatWord(state),
            synthetic && 'Synthetic',
            attempts.length > 0 && `attempts: ${attempts.map(({ status, error }) => status ?? error).join(', ')}`,
            url.replace(lead_id, '{lead_id}'),
          ]),
        ]),
      ),
    ),
  ]
}

/** The parts of a request that no other request has. */
const ownOfRequest = new Set(['request_id', 'at', 'ms', 'lead_id', 'trace'])

/** Compares two requests: everything that the journal keeps of them. */
export function compareRequests(a: JournalEntry, b: JournalEntry): readonly Comparison[] {
  const fieldsOf = (entry: JournalEntry) =>
    leavesOf(Object.fromEntries(Object.entries(entry).filter(([name]) => !ownOfRequest.has(name))))
  return [
    compareFields('Request and response', fieldsOf(a), fieldsOf(b)),
    compareFields('Checks', checksOf(a.trace ?? []), checksOf(b.trace ?? [])),
  ]
}

function compareFields(title: string, a: Fields, b: Fields): Comparison {
  const fields = [...new Set([...a.keys(), ...b.keys()])].map(name => ({ name, a: a.get(name), b: b.get(name) }))
  return {
    title,
    different: fields.filter(field => field.a !== field.b),
    equal: fields.filter(field => field.a === field.b),
  }
}

/** Lists the values in an object by path: `customer.contact.email.address`. A list of values is one value. */
function leavesOf(value: object, path = ''): Fields {
  return new Map(
    Object.entries(value).flatMap(([name, each]) => {
      if (each === undefined) return []
      const inner = path ? `${path}.${name}` : name
      const isBranch = typeof each === 'object' && each !== null && Object.values(each).length > 0
      const isList = Array.isArray(each) && each.every(item => typeof item !== 'object')
      return isBranch && !isList ? [...leavesOf(each, inner)] : [[inner, formatValue(each)] as const]
    }),
  )
}

function checksOf(trace: Lead['trace']): Fields {
  return new Map(
    trace.map(({ check, verdict, input, threshold }) => [
      formatWord(check),
      joined([
        formatWord(verdict),
        input !== undefined && formatValue(input),
        threshold !== undefined && `threshold: ${formatValue(threshold)}`,
      ]),
    ]),
  )
}

/** Numbers repeated fields with the same name. */
function numbered(fields: readonly (readonly [name: string, text: string])[]): Fields {
  const named = new Map<string, string>()
  const times = new Map<string, number>()
  for (const [name, text] of fields) {
    const nth = (times.get(name) ?? 0) + 1
    times.set(name, nth)
    named.set(nth === 1 ? name : `${name} (${nth})`, text)
  }
  return named
}

const joined = (parts: readonly (string | false | undefined)[]) => parts.filter(Boolean).join(' · ')
