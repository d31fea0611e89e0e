import type { controlOperations } from '@lead-distribution/simulator'
import { controlPath } from '@lead-distribution/simulator/paths'
import type { ConnectionFlags } from './connection-flags.ts'
import { send } from './send.ts'

/** What an operation of the control plane replies, by its name. */
export type Reply<Name extends keyof typeof controlOperations> = (typeof controlOperations)[Name]['reply'] extends {
  _zod: { output: infer Output }
}
  ? Output
  : never

/** What goes with a call: the body as a value, query parameters without those that are undefined. */
export interface Content {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  /** A body that goes as it is. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One run of a verb on a running sandbox. */
export interface Session {
  readonly tenant: string
  /** Whether JSON was asked for. */
  readonly json: boolean
  /** Calls the control plane on all tenants, by the parts of the path: `['tenants', 'qa']`. */
  askOfAll<Name extends keyof typeof controlOperations>(
    method: string,
    path: readonly string[],
    content?: Content,
  ): Promise<Reply<Name>>
  /** Calls the control plane on the tenant of this session, by the parts of the path: `['leads', id]`. */
  ask<Name extends keyof typeof controlOperations>(
    method: string,
    path: readonly string[],
    content?: Content,
  ): Promise<Reply<Name>>
  /** Prints a reply: as it is where JSON was asked for, else as it is told for people. */
  print<Value>(reply: Value, tell: (reply: Value) => string): void
}

/** Opens a session by the flags of a verb; nothing is sent yet. */
export function createSession({ sandbox, tenant, adminToken, json = false }: ConnectionFlags): Session {
  const askOfAll: Session['askOfAll'] = async (method, path, { query = {}, body, text, headers } = {}) => {
    const url = new URL(`${controlPath}/${path.map(encodeURIComponent).join('/')}`, sandbox)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const reply = await send(url, {
      method,
      headers: {
        ...headers,
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
      },
      body: content,
    })
    // The replies of the control plane have the shapes of its table: the end-to-end tests hold it to them.
    return reply as never
  }
  return {
    tenant,
    json,
    askOfAll,
    ask: (method, path, content) => askOfAll(method, ['tenants', tenant, ...path], content),
    print: (reply, tell) => console.log(json ? JSON.stringify(reply) : tell(reply)),
  }
}
