import { isUuid } from '@lead-distribution/contract'

// The console and the command line load this file alone, to name themselves.

/** The header by which a tool of the sandbox names itself in a call: `console`, and the id of the click that caused it. */
export const originHeader = 'x-sandbox-origin'

/** The tools of the sandbox that call the service themselves. */
export const toolOrigins = ['console', 'command-line'] as const
/** A tool of the sandbox that calls the service itself. */
export type ToolOrigin = (typeof toolOrigins)[number]

/** The origins of calls: the integration under test, and the tools of the sandbox. */
export const origins = ['integration', ...toolOrigins] as const
/** The origin of a call. */
export type Origin = (typeof origins)[number]

/** Returns the value of the header. Calls of one `attempt` are one: its repeats were sent by the browser alone. */
export function originValue(tool: ToolOrigin, attempt?: string): string {
  return attempt === undefined ? tool : `${tool}; attempt=${attempt}`
}

/** Reads the header. A call without it, or with another value, is one of the integration. */
export function readOrigin(header = ''): { readonly tool?: ToolOrigin; readonly attempt?: string } {
  const [name, attempt] = header.split('; attempt=', 2)
  const tool = toolOrigins.find(each => each === name)
  return tool ? { tool, ...(attempt !== undefined && isUuid(attempt) && { attempt }) } : {}
}
