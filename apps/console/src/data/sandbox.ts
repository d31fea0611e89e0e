import { type ControlClient, ControlError, createSandboxClient } from '@lead-distribution/control-client'
import { originHeader, originValue } from '@lead-distribution/simulator/origin'

/** The sandbox that a console shows. */
export interface SandboxSource {
  /** The sandbox's URL, with a trailing slash. */
  readonly baseUrl: string | URL
  /** Replaces the global `fetch`, for a sandbox inside the page. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The URL of the API reference. Default: the sandbox's own page. */
  readonly referenceUrl?: string | undefined
}

/** The URL of the sandbox. */
export let sandboxUrl: URL

/** The URL of the API reference. */
export let referenceUrl: string

/** Sends a request to the sandbox. */
export let fetchFromSandbox: typeof globalThis.fetch

/** True if the sandbox runs inside the page, so that no other tab can open a page of it. */
export let isInPage: boolean

/** The tenant that every sandbox has and never deletes. */
export const demoTenant = 'demo'

/** The control plane of the sandbox. */
export let sandbox: ControlClient

/** Sets the sandbox of all views. Call it before the first view. */
export function connectTo({ baseUrl, fetch, referenceUrl: reference = './docs' }: SandboxSource): void {
  sandboxUrl = new URL(baseUrl)
  referenceUrl = reference
  isInPage = fetch !== undefined
  // A browser's `fetch` must be called as a method of its window.
  const send = fetch ?? ((input, init) => globalThis.fetch(input, init))
  fetchFromSandbox = (input, init) => send(withOrigin(new Request(input, init)))
  sandbox = clientOver(fetchFromSandbox)
  otherTabs = new BroadcastChannel(`session of ${sandboxUrl}`)
  otherTabs.onmessage = startOver
}

/** Marks this page's requests, so that the coverage doesn't count them as the integration's. */
function withOrigin(request: Request): Request {
  if (!request.headers.has(originHeader)) request.headers.set(originHeader, originValue('console'))
  return request
}

/** Returns the same control plane for requests that a signal can abort. */
export function sandboxUntil(signal: AbortSignal): ControlClient {
  return clientOver((input, init) =>
    fetchFromSandbox(input, { ...init, signal: AbortSignal.any([signal, (input as Request).signal]) }),
  )
}

/** It does not retry, because the reader does. The browser adds the session cookie. */
function clientOver(fetch: typeof globalThis.fetch, adminToken?: string): ControlClient {
  return createSandboxClient({ baseUrl: sandboxUrl, adminToken, fetch, retries: 0 })
}

/** The browser's other tabs with this sandbox, which have the same session. */
let otherTabs: BroadcastChannel

let sessions = 0
const sessionListeners = new Set<() => void>()

/**
 * Signs the browser in with a token until it is closed.
 * @throws ControlError the token isn't valid.
 */
export async function signIn(token: string): Promise<void> {
  await clientOver(fetchFromSandbox, token).session.start()
  startOverEverywhere()
}

/** Signs the browser out. */
export async function signOut(): Promise<void> {
  await sandbox.session.end()
  startOverEverywhere()
}

function startOverEverywhere(): void {
  startOver()
  otherTabs.postMessage(null)
}

function startOver(): void {
  sessions++
  for (const listener of sessionListeners) listener()
}

/** The number of sign-ins and sign-outs, in any tab, each of which starts the page over. */
export const sessionChange = {
  count: () => sessions,
  subscribe(listener: () => void): () => void {
    sessionListeners.add(listener)
    return () => sessionListeners.delete(listener)
  },
}

/** Returns true if the sandbox requires a token that was missing or wrong. */
export function requiresToken(error: unknown): boolean {
  return ControlError.is(error) && error.status === 401
}

/** Returns true if the page's token doesn't allow the request. */
export function isForbidden(error: unknown): boolean {
  return ControlError.is(error) && error.status === 403
}

/** Returns true if the requested entry doesn't exist, or no longer exists. */
export function isMissing(error: unknown): boolean {
  return ControlError.is(error) && error.status === 404
}

/** Returns true if the sandbox refused the request, and would refuse it again. */
export function isRefused(error: unknown): boolean {
  return requiresToken(error) || isForbidden(error) || isMissing(error)
}

/** Reads the OpenAPI document of the control plane, which declares, for example, the values of a setting. */
export async function readControlDocument(): Promise<unknown> {
  const response = await fetchFromSandbox(new URL('_sandbox/openapi.json', sandboxUrl))
  if (!response.ok)
    throw new Error(`Couldn't read the control plane's OpenAPI document (status ${response.status}). Reload the page.`)
  return response.json()
}
