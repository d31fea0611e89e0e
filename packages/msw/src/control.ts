import {
  type ControlInput,
  type ControlOperationName,
  type ControlReply,
  controlOperations,
  type Sandbox,
} from '@lead-distribution/simulator'
import { controlPath } from '@lead-distribution/simulator/paths'
import { ControlError } from './control-error.ts'

/** The names of a path's parameters, but for the tenant's: a control is of one tenant. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Exclude<Name, 'tenant'> | PathParameter<Rest>
  : Path extends `${string}:${infer Name}`
    ? Exclude<Name, 'tenant'>
    : never

/** What an operation takes: the ids of its path, and beside them the fields of its body or query. */
export type ControlArguments<Name extends ControlOperationName> = Readonly<
  Record<PathParameter<(typeof controlOperations)[Name]['path']>, string> & ControlInput<Name>
>

/**
 * The control plane of one tenant: every operation of the sandbox's control plane by its name, so
 * `POST /tenants/{t}/clock/advance` is `advanceClock({ by: 'PT24H' })`. Ids of the path and fields of the body stand side
 * by side. Each answers what the control plane answers, in the wire's spelling.
 * @throws {@link ControlError} where the control plane refuses.
 */
export type Control = {
  readonly [Name in ControlOperationName]: (
    ...given: Record<never, never> extends ControlArguments<Name>
      ? [given?: ControlArguments<Name>]
      : [given: ControlArguments<Name>]
  ) => Promise<ControlReply<Name>>
}

/** Calls the control plane in process, through the very handler that answers it over a socket. */
export function createControl(handle: Sandbox['handle'], tenant: string): Control {
  async function call(name: ControlOperationName, given: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const operation = controlOperations[name]
    const input: Record<string, unknown> = { ...given }
    const path = operation.path.replace(/:(\w+)/g, (_, parameter: string) => {
      const id = parameter === 'tenant' ? tenant : input[parameter]
      delete input[parameter]
      return encodeURIComponent(String(id))
    })
    const query = operation.in === 'query' ? `?${new URLSearchParams(texts(input))}` : ''
    const body = operation.in === 'body' ? JSON.stringify(input) : ''
    const reply = await handle({
      method: operation.methods[0],
      target: `${controlPath}${path}${query}`,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(body),
    })
    const answer = JSON.parse(reply.body)
    if (reply.status >= 400) throw new ControlError(name, reply.status, answer)
    return answer
  }

  const names = Object.keys(controlOperations) as ControlOperationName[]
  return Object.fromEntries(names.map(name => [name, (given?: object) => call(name, { ...given })])) as Control
}

function texts(input: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
