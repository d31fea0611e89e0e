import { type ControlClient, ControlError, createSandboxClient } from '@lead-distribution/control-client'
import { originHeader, originValue } from '@lead-distribution/simulator/origin'
import { createKeptItem } from './kept-item.ts'

/** The sandbox that a console shows. */
export interface SandboxSource {
  /** The URL of the sandbox, with a slash at its end. */
  readonly baseUrl: string | URL
  /** Sends requests in place of the global `fetch`, to a sandbox inside the page. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The URL of the reference of its interfaces. Default: the page of the sandbox itself. */
  readonly referenceUrl?: string | undefined
}

/** The URL of the sandbox. */
export let sandboxUrl: URL

/** The URL of the reference of the sandbox's interfaces. */
export let referenceUrl: string

/** Sends a request to the sandbox. */
export let fetchFromSandbox: typeof globalThis.fetch

/** True if the sandbox runs inside the page, so that no other tab can open a page of it. */
export let isInPage: boolean

/** The tenant that every sandbox has and never deletes. */
export const demoTenant = 'demo'

/** Kept in this tab only. Only a shared sandbox requires it. */
const keptToken = createKeptItem('sessionStorage', 'lead-sandbox.admin-token')
let adminToken = keptToken.read()

/** The control plane of the sandbox. */
export let sandbox: ControlClient

/** Chooses the sandbox that all views show, before the first of them. */
export function connectTo({ baseUrl, fetch, referenceUrl: reference = './docs' }: SandboxSource): void {
  sandboxUrl = new URL(baseUrl)
  referenceUrl = reference
  isInPage = fetch !== undefined
  // A browser's `fetch` must be called as a method of its window.
  const send = fetch ?? ((input, init) => globalThis.fetch(input, init))
  fetchFromSandbox = (input, init) => send(withOrigin(new Request(input, init)))
  sandbox = clientOver(fetchFromSandbox)
}

/** Names this page in a request, so that the coverage doesn't count what it does as the integration's. */
function withOrigin(request: Request): Request {
  if (!request.headers.has(originHeader)) request.headers.set(originHeader, originValue('console'))
  return request
}

/** Returns the same control plane for calls that end when a signal aborts. */
export function sandboxUntil(signal: AbortSignal): ControlClient {
  return clientOver((input, init) =>
    fetchFromSandbox(input, { ...init, signal: AbortSignal.any([signal, (input as Request).signal]) }),
  )
}

/** It repeats nothing: on this page the reader retries. */
function clientOver(fetch: typeof globalThis.fetch): ControlClient {
  return createSandboxClient({ baseUrl: sandboxUrl, adminToken, fetch, retries: 0 })
}

/** Returns true if this page has a token. */
export const hasAdminToken = () => adminToken !== undefined

let tokenChanges = 0
const tokenListeners = new Set<() => void>()

/** Sends this token from now on. Returns false if the browser denies to keep it until the tab is closed. */
export function changeAdminToken(token: string): boolean {
  const isKept = keptToken.write(token)
  adminToken = token
  sandbox = clientOver(fetchFromSandbox)
  tokenChanges++
  for (const listener of tokenListeners) listener()
  return isKept
}

/** How often this page got another token: what it shows starts over. */
export const tokenChange = {
  count: () => tokenChanges,
  subscribe(listener: () => void): () => void {
    tokenListeners.add(listener)
    return () => tokenListeners.delete(listener)
  },
}

/** Returns true if the sandbox requires an admin token that was missing or wrong. */
export function wantsAdminToken(error: unknown): boolean {
  return ControlError.is(error) && error.status === 401
}

/** Returns true if the page's token doesn't allow the request. */
export function isForbidden(error: unknown): boolean {
  return ControlError.is(error) && error.status === 403
}

/** Returns true if the sandbox doesn't have the requested entry, or doesn't have it any more. */
export function isMissing(error: unknown): boolean {
  return ControlError.is(error) && error.status === 404
}

/** Reads the OpenAPI document of the control plane, which declares, for example, the values of a setting. */
export async function readControlDocument(): Promise<unknown> {
  const response = await fetchFromSandbox(new URL('_sandbox/openapi.json', sandboxUrl))
  if (!response.ok)
    throw new Error(`Couldn't read the control plane's OpenAPI document (status ${response.status}). Reload the page.`)
  return response.json()
}
