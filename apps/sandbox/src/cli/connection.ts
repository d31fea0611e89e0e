import {
  type ControlClient,
  ControlError,
  createSandboxClient,
  PathError,
  sendOverHttp,
} from '@lead-distribution/control-client'
import { originHeader, originValue } from '@lead-distribution/simulator/origin'
import { CommandError, exitCodes } from './exit-codes.ts'

/**
 * A command does not retry: a person sees the failure. The header identifies it, so that the coverage does not
 * attribute its requests to the integration.
 */
const once = { retries: 0, timeoutMs: 300_000, headers: { [originHeader]: originValue('command-line') } }

/** The number of consecutive attempts to reopen a connection, and the pause before each, milliseconds. */
export const reconnects = { times: 30, pauseMs: 1_000 }

/** Returns true if a retry may succeed: the sandbox is restarting or overloaded. */
export const isTransient = (error: unknown): boolean => ControlError.is(error) && [0, 429, 503].includes(error.status)

/** Creates a client for a running sandbox. */
export function createClient(sandbox: string, adminToken: string | undefined): ControlClient {
  return createSandboxClient({ ...once, baseUrl: sandbox, adminToken })
}

/**
 * Sends a lead to the service, byte for byte, and parses the JSON response.
 * @throws ControlError the service refuses it, or no sandbox responds.
 */
export function sendLead(
  baseUrl: string,
  lead: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs = once.timeoutMs,
): Promise<unknown> {
  const send = sendOverHttp({ ...once, url: baseUrl, timeoutMs })
  const body = new TextEncoder().encode(lead)
  return send({
    operation: 'submitLead',
    method: 'POST',
    path: '/lead',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}

const toAnother = 'To use another one, pass --sandbox URL.'
const toSee = 'To see whether it did, run lead-sandbox logs tail.'
const hints: Readonly<Record<string, string>> = {
  unreachable: toAnother,
  not_a_sandbox: toAnother,
  connection_lost: toSee,
  timed_out: toSee,
}

export function messageOf(error: unknown): string {
  if (!ControlError.is(error)) return error instanceof Error ? error.message : String(error)
  const { status, code, reason, details } = error
  const hint = hints[code]
  if (hint) return `${reason} ${hint}`
  if (status === 0) return reason
  return [`${reason} (${status} ${code})`, ...details.map(({ field, issue }) => `  ${field}: ${issue}`)].join('\n')
}

export function exitCodeOf(error: unknown): number {
  if (PathError.is(error)) return exitCodes.usage
  return error instanceof CommandError ? error.exitCode : exitCodes.failed
}
