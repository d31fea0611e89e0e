import { basePath } from '@lead-distribution/contract'
import { type ControlClient, ControlError, createSandboxClient } from '@lead-distribution/control-client'
import type { TestRequest } from '@lead-distribution/test-leads'

/** Where the sandbox is that serves this page: the page is at `_sandbox/` below it. */
const sandboxUrl = new URL('..', globalThis.location.href)

/** The tenant that every sandbox has, and never deletes. */
export const demoTenant = 'demo'

/** Kept for this tab only. Only a sandbox that others reach asks for it. */
const tokenItem = 'lead-sandbox.admin-token'
const adminToken = sessionStorage.getItem(tokenItem) ?? undefined

/** The control plane of the sandbox that serves this page. */
export const sandbox: ControlClient = createSandboxClient({
  baseUrl: `${sandboxUrl.origin}${sandboxUrl.pathname}`,
  adminToken,
  retries: 0,
})

/** Whether this page has a token; without one it shows a sandbox that asks for none. */
export const hasAdminToken = adminToken !== undefined

/** Remembers the admin token until the tab is closed, and begins again with it. */
export function rememberAdminToken(token: string): void {
  sessionStorage.setItem(tokenItem, token)
  globalThis.location.reload()
}

/** Whether the sandbox asks for an admin token that it was not given. */
export function wantsAdminToken(error: unknown): boolean {
  return error instanceof ControlError && error.status === 401
}

/** Whether the token of this page does not allow what was asked for. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ControlError && error.status === 403
}

/** The response of the service to a submission. */
export interface ServiceResponse {
  readonly status: number
  readonly body: unknown
}

/** @throws Error that says what is known where no response came: a browser says no more than `Failed to fetch`. */
function explainFailure(thrown: unknown): never {
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError')
    throw new Error(`No response arrived within ${longestReplyMs / 1_000} seconds. Calls shows what the service did.`)
  throw new Error('The connection was cut before a response arrived. Calls shows what the service did.')
}

/** How long the page waits for the response of the service, milliseconds. */
const longestReplyMs = 15_000

/** Submits to the real endpoint with the publisher's key, as the publisher's own application does. */
export async function submitToService(request: TestRequest, apiKey: string): Promise<ServiceResponse> {
  const response = await fetch(new URL(`${basePath.slice(1)}/lead`, sandboxUrl), {
    method: 'POST',
    headers: { apikey: apiKey, ...request.headers },
    body: request.body,
    // A fault may withhold the response for ever.
    signal: AbortSignal.timeout(longestReplyMs),
  }).catch(explainFailure)
  const text = await response.text()
  return { status: response.status, body: parsed(text) }
}

/** The document of the control plane: it declares what every operation takes, such as the values of a setting. */
export async function readControlDocument(): Promise<unknown> {
  const response = await fetch(new URL('_sandbox/openapi.json', sandboxUrl))
  if (!response.ok)
    throw new Error(`Couldn't read the control plane's OpenAPI document (status ${response.status}). Reload the page.`)
  return response.json()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
