import type { ControlInput, ControlOperationName, ControlOperations, ControlReply } from '@lead-distribution/simulator'
import { scenarioHeader } from '@lead-distribution/simulator/effects'
import { controlPath } from '@lead-distribution/simulator/urls'
import { PathError } from './errors.ts'
import { type EventOptions, readEvents, type SandboxEvent } from './events.ts'

/**
 * A request to a sandbox's control plane.
 * @category Client
 */
export interface ControlRequest {
  /** The operation, such as `advanceClock`; error messages name it. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path and query, relative to the sandbox's URL: `/_sandbox/v1/tenants/demo/leads?limit=5`. */
  readonly path: string
  /** Headers besides those sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON; bytes are sent unchanged. */
  readonly body?: unknown
  /** How long the sandbox may hold back its response on purpose, milliseconds. Default: 0. */
  readonly holdMs?: number | undefined
  /** The format of the response. Default: `json`. */
  readonly responds?: 'json' | 'text' | 'events' | undefined
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A function that sends a request and resolves to the response: parsed if it is JSON, or the text as an
 * `AsyncIterable<string>` if it is an event stream.
 * @throws ControlError the sandbox refuses the request or does not respond.
 * @category Client
 */
export type Send = (request: ControlRequest) => Promise<unknown>

/** The method and path of an operation, as declared by the simulator. */
type RouteOf<Name extends ControlOperationName> =
  `${ControlOperations[Name]['methods'][0]} ${ControlOperations[Name]['path']}`

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name

/** An operation's input in the caller's spelling: names in camelCase, and booleans for `'true'` or `'false'`. */
type OptionsFor<Input> = {
  readonly [Name in keyof Input as CamelCase<Name>]: Input[Name] extends 'true' | 'false' | undefined
    ? boolean | undefined
    : Input[Name]
}

/**
 * The options of an operation: its wire input, with names in camelCase.
 * @category Options
 */
export type Options<Name extends ControlOperationName> = OptionsFor<ControlInput<Name>>

/**
 * The options for explaining a submission or creating a repro file.
 * @category Options
 */
export interface ExplainOptions {
  /** The scenario in the submission's `x-sandbox-scenario` header, such as `age_restriction`. */
  readonly scenario?: string | undefined
}

/** The path parameters in order, without the tenant. */
type Ids<Path> = Path extends `/tenants/:tenant${infer Rest}`
  ? Ids<Rest>
  : Path extends `${string}:${string}/${infer Rest}`
    ? [id: string, ...Ids<`/${Rest}`>]
    : Path extends `${string}:${string}`
      ? [id: string]
      : []

type InputOf<Name extends ControlOperationName> = Name extends 'explainLead' | 'reproduceSubmission'
  ? [submission: unknown, options?: ExplainOptions]
  : Name extends 'importSnapshot'
    ? [file: string | Uint8Array]
    : Name extends 'changeTenant'
      ? [change: ControlInput<Name>]
      : ControlOperations[Name] extends { readonly input: unknown }
        ? Record<never, never> extends ControlInput<Name>
          ? [options?: Options<Name>]
          : [options: Options<Name>]
        : []

/**
 * A method that calls an operation. Its arguments are the ids in the path, then the options or document.
 * @category Client
 */
export type Method<Name extends ControlOperationName> = (
  ...input: [...Ids<ControlOperations[Name]['path']>, ...InputOf<Name>]
) => Promise<ControlReply<Name>>

/** Facts about an operation that its route doesn't show. */
interface Traits {
  /** `document`: the input is sent unchanged. `lines`: the input is sent as NDJSON. */
  readonly sends?: 'document' | 'lines'
  /** The format of the response. Default: `json`. */
  readonly responds?: 'text'
  /** See {@link ControlRequest.holdMs}. */
  readonly holdMs?: number
}

/** Creates a client's methods, one for each operation. */
export function createMethods(send: Send, tenant?: string) {
  /** Fills in the path with ids from the start of the arguments, and removes those. */
  function requestLine(route: string, args: unknown[]) {
    const [method = '', pattern = ''] = route.split(' ')
    const path = pattern.replace(/:(\w+)/g, (_, name) => segment(name, name === 'tenant' ? tenant : args.shift()))
    return { method, path: `${controlPath}${path}` }
  }

  return {
    /** The types tie the route to the simulator's declaration. */
    call:
      <Name extends ControlOperationName>(
        operation: Name,
        route: RouteOf<Name>,
        { sends, responds, holdMs }: Traits = {},
      ): Method<Name> =>
      async (...args) => {
        const rest: unknown[] = [...args]
        const { method, path } = requestLine(route, rest)
        const [input = {}, { scenario }] = [rest[0], (rest[1] ?? {}) as ExplainOptions]
        const hasBody = method === 'POST' || method === 'PATCH'
        if (sends === 'lines') {
          const body = typeof input === 'string' ? new TextEncoder().encode(input) : input
          const headers = { 'content-type': 'application/x-ndjson' }
          return (await send({ operation, method, path, headers, body })) as ControlReply<Name>
        }
        const sent = sends === 'document' ? input : wireNames(operation, Object(input))
        const query = hasBody ? '' : queryOf(Object(sent))
        const response = await send({
          operation,
          method,
          path: `${path}${query}`,
          headers: scenario === undefined ? undefined : { [scenarioHeader]: scenario },
          body: hasBody ? sent : undefined,
          responds,
          holdMs: holdMs ?? (operation === 'waitForCallback' ? Object(sent).timeout_ms : undefined),
        })
        // The control plane's own tests check that its responses match the declared shapes.
        return response as ControlReply<Name>
      },
    stream:
      <Name extends 'streamEvents' | 'streamAllEvents'>(operation: Name, route: RouteOf<Name>) =>
      ({ signal, lastEventId }: EventOptions = {}): AsyncIterableIterator<SandboxEvent> => {
        const headers = lastEventId === undefined ? undefined : { 'last-event-id': lastEventId }
        const open = async () =>
          send({ operation, ...requestLine(route, []), headers, responds: 'events', signal }) as Promise<
            AsyncIterable<string>
          >
        return readEvents(open, signal)
      },
  }
}

/**
 * Encodes a path segment. Rejects empty and dot-only ones, which URL parsers resolve even when escaped: `DELETE
 * …/snapshots/..` would delete the tenant.
 */
function segment(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value) && value.isWellFormed()) return encodeURIComponent(value)
  const given = JSON.stringify(value)
  throw new PathError(
    `\`${name}\` must be a non-empty string that is not only dots, because it is part of a path (got ${given}).`,
  )
}

/** Converts option names to wire names. */
function wireNames(operation: string, options: object): object {
  const entries = Object.entries(options).map(([name, value]) => {
    const meant = name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase())
    if (meant !== name) throw new TypeError(`${operation} has no option \`${name}\`: write \`${meant}\`.`)
    return [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), value]
  })
  return Object.fromEntries(entries)
}

function queryOf(input: object): string {
  const present = Object.entries(input).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString()
  return query && `?${query}`
}
