import { type ControlClient, ControlError, createSandboxClient } from '@lead-distribution/control-client'

/** The URL of the sandbox that serves this page at `_sandbox/`. */
export const sandboxUrl = new URL('..', globalThis.location.href)

/** The tenant that every sandbox has and never deletes. */
export const demoTenant = 'demo'

/** Kept in this tab only. Only a shared sandbox requires it. */
const tokenItem = 'lead-sandbox.admin-token'
const adminToken = sessionStorage.getItem(tokenItem) ?? undefined

const connection = {
  baseUrl: `${sandboxUrl.origin}${sandboxUrl.pathname}`,
  adminToken,
  retries: 0,
}

/** The control plane of the sandbox that serves this page. */
export const sandbox: ControlClient = createSandboxClient(connection)

/** Returns the same control plane for calls that end when a signal aborts. */
export function sandboxUntil(signal: AbortSignal): ControlClient {
  return createSandboxClient({
    ...connection,
    fetch: (input, init) => {
      const request = new Request(input, init)
      return fetch(request, { signal: AbortSignal.any([signal, request.signal]) })
    },
  })
}

/** True if this page has a token. */
export const hasAdminToken = adminToken !== undefined

/** Remembers the admin token until the tab is closed, and reloads the page. */
export function rememberAdminToken(token: string): void {
  sessionStorage.setItem(tokenItem, token)
  globalThis.location.reload()
}

/** Returns true if the sandbox requires an admin token that was missing or wrong. */
export function wantsAdminToken(error: unknown): boolean {
  return error instanceof ControlError && error.status === 401
}

/** Returns true if the page's token doesn't allow the request. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ControlError && error.status === 403
}

/** Reads the OpenAPI document of the control plane, which declares, for example, the values of a setting. */
export async function readControlDocument(): Promise<unknown> {
  const response = await fetch(new URL('_sandbox/openapi.json', sandboxUrl))
  if (!response.ok)
    throw new Error(`Couldn't read the control plane's OpenAPI document (status ${response.status}). Reload the page.`)
  return response.json()
}
