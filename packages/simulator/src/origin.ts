import { isUuid } from '@lead-distribution/contract'

// The console and the command line load only this file, to identify themselves.

/** The header that identifies a sandbox tool, such as `console`, and the click that caused the call. */
export const originHeader = 'x-sandbox-origin'

/** The sandbox tools that call the service themselves. */
export const toolOrigins = ['console', 'command-line'] as const
/** A sandbox tool that calls the service itself. */
export type ToolOrigin = (typeof toolOrigins)[number]

/** The possible origins of a call: the integration under test, and the sandbox tools. */
export const origins = ['integration', ...toolOrigins] as const
/** The origin of a call. */
export type Origin = (typeof origins)[number]

/** Returns the value of the header. Calls with the same `attempt` count as one, resent by the browser. */
export function originValue(tool: ToolOrigin, attempt?: string): string {
  return attempt === undefined ? tool : `${tool}; attempt=${attempt}`
}

/** Reads the header. A call without it, or with another value, comes from the integration. */
export function readOrigin(header = ''): { readonly tool?: ToolOrigin; readonly attempt?: string } {
  const [name, attempt] = header.split('; attempt=', 2)
  const tool = toolOrigins.find(each => each === name)
  return tool ? { tool, ...(attempt !== undefined && isUuid(attempt) && { attempt }) } : {}
}
