import { keyHeader } from '@lead-distribution/contract'
import type { CallName } from '../call/retry-table.ts'

/** What reached a fake service. Holds no key and no token. */
export interface FakeRequest {
  /** The operation; undefined where the path and the method are of none. */
  readonly operation: CallName | undefined
  /** The HTTP method. */
  readonly method: string
  /** The path below the base address, such as `/lead`; the whole path where it is not below it. */
  readonly path: string
  /** The lead that the path names, as it was written. */
  readonly lead_id?: string
  /** The query, without a pixel's token. */
  readonly query: Readonly<Record<string, string>>
  /** Whether it carried the API key, or the token, that its operation asks for. */
  readonly credential: 'right' | 'wrong' | 'missing'
  /** The JSON that it carried; the text where it was none, undefined where there was no body. */
  readonly body: unknown
}

/** A request while it is read. */
export type FakeRequestDraft = { -readonly [Name in keyof FakeRequest]: FakeRequest[Name] }

const statusPath = /^\/lead\/([^/]+)\/status$/

/** A request whose line was read; its credential and its body are still to come. */
export interface ReadLine {
  readonly draft: FakeRequestDraft
  /** The methods of its path; undefined where nothing stands there. */
  readonly methods: readonly string[] | undefined
}

/** Reads the line of a request. */
export function readLine(method: string, url: URL, basePath: string): ReadLine {
  const below = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : undefined
  const lead_id = below && statusPath.exec(below)?.[1]
  const methods = below === '/lead' ? ['POST'] : lead_id ? ['POST', 'PATCH', 'GET'] : undefined
  const { token: _token, [keyHeader]: _key, ...query } = Object.fromEntries(url.searchParams)
  const draft: FakeRequestDraft = {
    operation: methods?.includes(method) ? operationOf(method, lead_id) : undefined,
    method,
    path: below ?? url.pathname,
    ...(lead_id && { lead_id }),
    query,
    credential: 'missing',
    body: undefined,
  }
  return { draft, methods }
}

function operationOf(method: string, lead_id: string | undefined): CallName {
  if (!lead_id) return 'submitLead'
  return method === 'GET' ? 'reportEvent' : 'reportStatus'
}
