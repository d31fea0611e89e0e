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
import { type Account, createSandboxClient, sendOverHttp } from '@lead-distribution/control-client'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { type ControlInput, demoName, isLoopback } from '@lead-distribution/simulator'
import { sandboxPath } from '@lead-distribution/simulator/urls'
import type { ProfileName } from './check.ts'

/** The address that the sandbox of a certification listens on, and the hosts that it may call. */
export interface SandboxPlace {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  readonly seed?: number | undefined
  readonly allowedCallbackHosts: readonly string[]
}

/** Starts a sandbox server in this process and in memory. */
export type StartServer = (
  options: SandboxPlace & {
    readonly adminToken: string | undefined
    readonly logLevel: 'error'
    readonly randomSalt: string
    /** Sees each request as it came in, and may return another response. */
    readonly intercept: ReturnType<typeof createRecorder>['intercept']
  },
) => Promise<{ readonly url: string; account(): Account; close(): Promise<void> }>

/** No retries: a certification shows each failure. */
const once = { retries: 0, timeoutMs: 300_000 }

/**
 * Opens a sandbox for one certification. The application uses its demo account, whose keys on this machine are the documented
 * ones, so that it may be started first, set up as for `start`. Lead ids are random: an application may remember those of
 * earlier certifications.
 */
export async function openSandbox(startServer: StartServer, place: SandboxPlace) {
  const recorder = createRecorder()
  const hosts = [place.host, ...(place.publicUrl === undefined ? [] : [new URL(place.publicUrl).hostname])]
  const adminToken = hosts.every(isLoopback) ? undefined : randomBytes(24).toString('base64url')
  const randomSalt = randomBytes(16).toString('hex')
  const server = await startServer({
    ...place,
    adminToken,
    logLevel: 'error',
    randomSalt,
    intercept: recorder.intercept,
  })
  const tenant = createSandboxClient({ ...once, baseUrl: server.url, adminToken }).control(demoName)
  return {
    recorder,
    tenant,
    account: () => server.account(),
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
      const { base_url, publisher } = server.account()
      const lead = createTestLeads(server.account()).distributed()
      const response = await sendOverHttp({ ...once, url: base_url })({
        operation: 'submitLead',
        method: 'POST',
        path: '/lead',
        headers: { 'content-type': 'application/json', [keyHeader]: publisher.api_key },
        body: new TextEncoder().encode(JSON.stringify(lead)),
      })
      return { lead_id: (response as LeadResponse).lead_id ?? '', lead }
    },
    /** Adds a fault, until it is disposed of. */
    async addFault(fault: Fault): Promise<AsyncDisposable> {
      await tenant.faults.add(fault)
      return { [Symbol.asyncDispose]: async () => void (await tenant.faults.clear()) }
    },
    close: () => server.close(),
  }
}

export type CertificationSandbox = Awaited<ReturnType<typeof openSandbox>>

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

/** Responds instead of the service; `answer` calls the service. */
export type Override = (call: RecordedCall, answer: () => Promise<HttpResponse>) => Promise<HttpResponse>

/** Records every request of an application to a sandbox's service, and can respond in its place. */
export function createRecorder() {
  const calls: RecordedCall[] = []
  let override: Override = (_call, answer) => answer()

  return {
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
      call.response = await override(call, () => answer({ ...request, body: isWhole ? came : async () => came }))
      return call.response
    },
    /** All calls so far, oldest first. A slice from an earlier length holds those since then. */
    calls: calls as readonly RecordedCall[],
    /** Responds instead of the service, until it is disposed of. */
    override(by: Override): Disposable {
      const before = override
      override = by
      return {
        [Symbol.dispose]() {
          override = before
        },
      }
    },
  }
}
