import type { ErrorResponse } from '@lead-distribution/contract'
import { type ControlClient, createSandboxClient, type TenantControl } from '@lead-distribution/control-client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError, howToStart, maybeDone } from './exit-codes.ts'

/** Which sandbox a verb works on, and how it prints. */
interface ConnectionFlags {
  /** Scheme, host and port. */
  readonly sandbox: string
  readonly tenant: string
  readonly adminToken?: string
  readonly json?: boolean
}

/** One run of a verb on a running sandbox. */
export interface Session {
  /** The control plane of the tenant that --tenant names. */
  readonly tenant: TenantControl
  /** The control plane of all tenants. */
  readonly sandbox: ControlClient
  /** Whether JSON was asked for. */
  readonly json: boolean
  /** Prints a value: as JSON where that was asked for, else as text. */
  print<Value>(value: Value, textOf: (value: Value) => string): void
}

/** What a verb does, with its flags, and its arguments in their order. */
export type Run<Flags, Arguments extends readonly unknown[]> = (
  session: Session,
  flags: Flags,
  ...args: Arguments
) => Promise<void>

/** Completes a verb that works on a running sandbox: the flags that all have, its examples, and what it does. */
export function sandboxVerb<Flags, Arguments extends readonly unknown[]>(
  command: Command,
  examples: readonly string[],
  run: Run<Flags, Arguments>,
): void {
  const lines = examples.map(example => `  $ lead-sandbox ${example}`)
  addConnectionFlags(command)
    .addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n'))
    .action(async () => {
      const flags = command.opts<Flags & ConnectionFlags>()
      await run(createSession(flags), flags, ...(command.processedArgs as unknown as Arguments))
    })
}

function addConnectionFlags(command: Command): Command {
  return command
    .optionsGroup('Which sandbox, and how to print:')
    .addOption(
      new Option('--sandbox <url>', 'where the sandbox runs')
        .default('http://127.0.0.1:4010')
        .env('LEAD_SANDBOX_URL')
        .argParser(parseAddress),
    )
    .addOption(new Option('--tenant <name>', 'the tenant to work on').default('demo').env('LEAD_SANDBOX_TENANT'))
    .addOption(
      new Option(
        '--admin-token <token>',
        'what a sandbox on a network asks for: its admin token, or a token of the tenant',
      ).env('LEAD_SANDBOX_ADMIN_TOKEN'),
    )
    .addOption(new Option('--json', "print the control plane's JSON, for scripts").env('LEAD_SANDBOX_JSON'))
}

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Give the address of the sandbox, such as http://127.0.0.1:4010.')
  return url.origin
}

/** Nothing is repeated, and nothing ends before its reply: a person sees the failure, and can press Ctrl-C. */
function createSession({ sandbox: baseUrl, tenant, adminToken, json = false }: ConnectionFlags): Session {
  const sandbox = createSandboxClient({ baseUrl, adminToken, timeoutMs: false, retries: 0 })
  return {
    tenant: sandbox.control(tenant),
    sandbox,
    json,
    print: (value, textOf) => console.log(json ? JSON.stringify(value) : textOf(value)),
  }
}

/** A request to the service of a running sandbox. */
export interface Outgoing {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  /** As it goes over the wire. */
  readonly body?: string | undefined
  /** How long the reply may take, milliseconds; no limit by default. */
  readonly timeoutMs?: number
}

/** What fetch reports where the connection was there and broke. */
const lostCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']

/**
 * Sends a request to the service, byte for byte, and reads the JSON of its reply.
 * @throws CommandError where the service refuses it, nothing answers, or something else than a sandbox.
 */
export async function send(url: URL, { method, headers = {}, body, timeoutMs }: Outgoing): Promise<unknown> {
  const signal = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
  const { status, ok, text } = await fetch(url, { method, headers, body: body ?? null, redirect: 'error', signal })
    .then(async reply => ({ status: reply.status, ok: reply.ok, text: await reply.text() }))
    .catch(error => {
      throw withoutReply(error, url)
    })
  const value = parsed(text)
  if (ok && value !== undefined) return value
  if (isErrorResponse(value)) throw refusal(status, value)
  throw new CommandError(`${url.origin} answered ${status} without JSON, so it is no sandbox. ${howToStart}`)
}

/** A refusal in the shape of 2.13: its message, and below it what is wrong field by field. */
function refusal(status: number, { error, message, details = [] }: ErrorResponse): CommandError {
  const lines = details.map(({ field, issue }) => `  ${field}: ${issue}`)
  return new CommandError([`${message} (${status} ${error})`, ...lines].join('\n'))
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

function withoutReply(error: unknown, { origin }: URL): CommandError {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  if (name === 'TimeoutError') return new CommandError(`No reply came from ${origin} in time. ${mayHaveRun}`)
  if (lostCodes.includes(cause?.code ?? ''))
    return new CommandError(`The connection to ${origin} broke before the whole reply came. ${mayHaveRun}`)
  return new CommandError(`No sandbox answers on ${origin}. ${howToStart}`)
}

const mayHaveRun = `The call may have been done. ${maybeDone}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
