import type { ControlInput, ControlOperationName, ControlOperations, ControlReply } from '@lead-distribution/simulator'
import { scenarioHeader } from '@lead-distribution/simulator/effects'
import { controlPath } from '@lead-distribution/simulator/urls'
import { PathError } from './errors.ts'
import { type EventOptions, readEvents, type SandboxEvent } from './events.ts'

/**
 * A request to a sandbox.
 * @category Client
 */
export interface ControlRequest {
  /** The operation, such as `advanceClock`. Errors name it. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path below the URL of the sandbox, with its query: `/_sandbox/v1/tenants/demo/leads?limit=5`. */
  readonly path: string
  /** Headers besides those that every request has. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON; bytes are sent unchanged. */
  readonly body?: unknown
  /** The time that the request asks the sandbox to delay its response, milliseconds. Default: 0. */
  readonly holdMs?: number | undefined
  /** The form of its response. Default: `json`. */
  readonly responds?: 'json' | 'text' | 'events' | undefined
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request and resolves to its response: parsed if it is JSON, and an `AsyncIterable<string>` of the text as it
 * arrives if it is a stream of events.
 * @throws ControlError the sandbox refuses the request, or does not respond.
 * @category Client
 */
export type Send = (request: ControlRequest) => Promise<unknown>

/** The method and path of an operation, as the simulator declares them. */
type RouteOf<Name extends ControlOperationName> =
  `${ControlOperations[Name]['methods'][0]} ${ControlOperations[Name]['path']}`

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name

/** The input of an operation as a caller writes it: each name in camelCase, and a boolean for `'true'` or `'false'`. */
type OptionsFor<Input> = {
  readonly [Name in keyof Input as CamelCase<Name>]: Input[Name] extends 'true' | 'false' | undefined
    ? boolean | undefined
    : Input[Name]
}

/**
 * The options of an operation: its input on the wire, with each name in camelCase.
 * @category Options
 */
export type Options<Name extends ControlOperationName> = OptionsFor<ControlInput<Name>>

/**
 * Options of an explanation or a repro file.
 * @category Options
 */
export interface ExplainOptions {
  /** The scenario that a header of the submission names, such as `age_restriction`. */
  readonly scenario?: string | undefined
}

/** The parameters of a path, in its order. The tenant is known. */
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
 * A method that calls an operation: with the ids in its path, then its options or its document.
 * @category Client
 */
export type Method<Name extends ControlOperationName> = (
  ...input: [...Ids<ControlOperations[Name]['path']>, ...InputOf<Name>]
) => Promise<ControlReply<Name>>

/** The facts of an operation that its route does not tell. */
interface Traits {
  /** `document`: its input is sent unchanged; `lines`: as lines of JSON. */
  readonly sends?: 'document' | 'lines'
  /** The form of its response. Default: `json`. */
  readonly responds?: 'text'
  /** See {@link ControlRequest.holdMs}. */
  readonly holdMs?: number
}

/** Makes the methods of a client, one for each operation. */
export function createMethods(send: Send, tenant?: string) {
  /** Reads the ids of a path from the beginning of the arguments, and removes them there. */
  function requestLine(route: string, args: unknown[]) {
    const [method = '', pattern = ''] = route.split(' ')
    const path = pattern.replace(/:(\w+)/g, (_, name) => segment(name, name === 'tenant' ? tenant : args.shift()))
    return { method, path: `${controlPath}${path}` }
  }

  return {
    /** The compiler holds the route to the simulator's declaration. */
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
        // The control plane responds in the shapes of its declarations: the tests of the repository check that.
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
 * A segment of a path. URLs resolve an empty one and one of only dots, however they are escaped: the path would be
 * another one, and `DELETE …/snapshots/..` delete the tenant.
 */
function segment(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value) && value.isWellFormed()) return encodeURIComponent(value)
  const given = JSON.stringify(value)
  throw new PathError(
    `\`${name}\` must be a non-empty string that is not only dots, because it is part of a path (got ${given}).`,
  )
}

/** Converts the names of options to those of the wire. */
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
