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
 * A command repeats nothing: a person sees the failure. It names itself, so that the coverage doesn't count what it does as the
 * integration's.
 */
const once = { retries: 0, timeoutMs: 300_000, headers: { [originHeader]: originValue('command-line') } }

/** The number of times in a row that a connection is opened again after a failure, and the pause before, milliseconds. */
export const reconnects = { times: 30, pauseMs: 1_000 }

/** Returns true if the same call may succeed later: the sandbox is being started again, or has too much to do. */
export const isTransient = (error: unknown): boolean => ControlError.is(error) && [0, 429, 503].includes(error.status)

/** Makes a client of a running sandbox. */
export function createClient(sandbox: string, adminToken: string | undefined): ControlClient {
  return createSandboxClient({ ...once, baseUrl: sandbox, adminToken })
}

/**
 * Sends a lead to the service, byte for byte, and reads the JSON of its response.
 * @throws ControlError the service refuses it, or nothing responds, or something other than a sandbox.
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
