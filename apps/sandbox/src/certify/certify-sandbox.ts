import { randomBytes } from 'node:crypto'
import {
  keyHeader,
  type LeadResponse,
  type LeadSubmission,
  maxBodyBytes,
  type Settings,
} from '@lead-distribution/contract'
import { profiles } from '@lead-distribution/contract/shapes'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { type ControlInput, demoName, isLoopback } from '@lead-distribution/simulator'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import { createClient, sendLead } from '../cli/connection.ts'
import { type ServerOptions, startServer } from '../server.ts'
import type { ProfileName } from './check.ts'

export type CertifySandboxOptions = Pick<ServerOptions, 'host' | 'port' | 'seed' | 'publicUrl' | 'allowedCallbackHosts'>

/**
 * Opens a sandbox for one certification, in this process and in memory. The application uses its demo account, whose
 * keys on this machine are the documented ones, so that it may be started first, set up as for `start`. Lead ids are
 * random: an application may remember those of earlier certifications.
 */
export async function openCertifySandbox({ host = '127.0.0.1', ...options }: CertifySandboxOptions) {
  const recorder = createRecorder()
  const hosts = [host, ...(options.publicUrl === undefined ? [] : [new URL(options.publicUrl).hostname])]
  const adminToken = hosts.every(isLoopback) ? undefined : randomBytes(24).toString('base64url')
  const randomSalt = randomBytes(16).toString('hex')
  const intercept = recorder.intercept
  const server = await startServer({ ...options, host, adminToken, logLevel: 'error', intercept, randomSalt })
  const tenant = createClient(server.url, adminToken).control(demoName)
  const account = () => server.account()
  return {
    recorder,
    tenant,
    account,
    /** Begins a round: sets the profile's interpretations, then the given settings. Earlier leads stay. */
    async enter(
      profile: ProfileName,
      settings: Partial<Settings> = {},
      change: ControlInput<'changeTenant'> = {},
    ): Promise<void> {
      const { lifecycle: _lifecycle, journal_bodies: _bodies, ...interpretations } = profiles[profile]
      await tenant.update({ settings: { ...interpretations, ...settings }, ...change })
    },
    /** Submits a lead that advertisers accept, with the publisher's key, bypassing the application. */
    async submitTestLead(): Promise<{ readonly lead_id: string; readonly lead: LeadSubmission }> {
      const { base_url, publisher } = account()
      const lead = createTestLeads(account()).distributed()
      const response = await sendLead(base_url, JSON.stringify(lead), { [keyHeader]: publisher.api_key })
      return { lead_id: (response as LeadResponse).lead_id ?? '', lead }
    },
    /** Runs a function while a fault is active. */
    async withFault<Value>(fault: Fault, work: () => Promise<Value>): Promise<Value> {
      await tenant.faults.add(fault)
      try {
        return await work()
      } finally {
        await tenant.faults.clear()
      }
    },
    close: () => server.close(),
  }
}

export type CertifySandbox = Awaited<ReturnType<typeof openCertifySandbox>>

/** A fault of the sandbox: the calls it matches, its effect on them, and how often it acts. */
export type Fault = ControlInput<'addFault'>

/** A request of the application to the service, byte for byte, and its response. Holds keys: never printed. */
export interface RecordedCall {
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The time of arrival, milliseconds on `performance.now()`. */
  readonly at: number
  /** Undefined while in flight. */
  response?: HttpResponse
}

/** Replaces or delays a response of the service; undefined leaves it unchanged. */
export type ChangeResponse = (
  call: RecordedCall,
  response: HttpResponse,
) => HttpResponse | undefined | Promise<HttpResponse | undefined>

/** Responds instead of the service; `answer` calls the service. */
export type Override = (call: RecordedCall, answer: () => Promise<HttpResponse>) => Promise<HttpResponse>

/** Records every request of an application to a sandbox's service, and can respond in its place. */
export function createRecorder() {
  const calls: RecordedCall[] = []
  let override: Override | undefined

  async function overriding<Value>(by: Override, work: () => Promise<Value>): Promise<Value> {
    override = by
    try {
      return await work()
    } finally {
      override = undefined
    }
  }

  return {
    /** The `intercept` option of `startServer`. */
    async intercept(
      request: HttpRequest,
      answer: (request: HttpRequest) => Promise<HttpResponse>,
    ): Promise<HttpResponse> {
      // The control plane and the advertiser's page are ours: no application calls them.
      if (request.target.startsWith(`${sandboxPath}/`)) return answer(request)
      const { method, target, headers, body } = request
      const at = performance.now()
      const came = typeof body === 'function' ? await body(maxBodyBytes) : body
      const isWhole = came instanceof Uint8Array
      const call: RecordedCall = { method, target, headers, body: isWhole ? new TextDecoder().decode(came) : '', at }
      calls.push(call)
      const read = { ...request, body: isWhole ? came : async () => came }
      call.response = await (override ? override(call, () => answer(read)) : answer(read))
      return call.response
    },
    /** All calls so far, oldest first. A slice from an earlier length holds those since then. */
    calls: calls as readonly RecordedCall[],
    overriding,
    changing: <Value>(by: ChangeResponse, work: () => Promise<Value>): Promise<Value> =>
      overriding(async (call, answer) => {
        const response = await answer()
        return (await by(call, response)) ?? response
      }, work),
  }
}
