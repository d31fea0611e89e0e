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

/** The address that a certification's sandbox listens on, and the hosts that it may send requests to. */
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
    /** Receives each request as it arrived, and may return another response. */
    readonly intercept: ReturnType<typeof createRecorder>['intercept']
  },
) => Promise<{ readonly url: string; account(): Account; close(): Promise<void> }>

/** No retries: a certification reports each failure. */
const once = { retries: 0, timeoutMs: 300_000 }

/**
 * Opens a sandbox for one certification. The application uses the demo account, which on loopback has the documented
 * keys, so it can be started before the certification and configured as for `start`. Lead ids are random, because an
 * application may remember those of earlier certifications.
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
    /** Submits a lead that advertisers accept, with the publisher's key, without the application. */
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
    /** Adds a fault until disposed of. */
    async addFault(fault: Fault): Promise<AsyncDisposable> {
      await tenant.faults.add(fault)
      return { [Symbol.asyncDispose]: async () => void (await tenant.faults.clear()) }
    },
    close: () => server.close(),
  }
}

export type CertificationSandbox = Awaited<ReturnType<typeof openSandbox>>

/** A fault to add to the sandbox: the requests that it matches, its effect, and how often it acts. */
export type Fault = ControlInput<'addFault'>

/** A request from the application to the service, byte for byte, with its response. Contains keys: never printed. */
export interface RecordedRequest {
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

/** Responds instead of the service; `answer` passes the request on to the service. */
export type Override = (request: RecordedRequest, answer: () => Promise<HttpResponse>) => Promise<HttpResponse>

/** Records every request of an application to the sandbox's service, and can respond instead of the service. */
export function createRecorder() {
  const requests: RecordedRequest[] = []
  let override: Override = (_request, answer) => answer()

  return {
    async intercept(
      request: HttpRequest,
      answer: (request: HttpRequest) => Promise<HttpResponse>,
    ): Promise<HttpResponse> {
      // The control plane and the advertiser's page are not part of the service.
      if (request.target.startsWith(`${sandboxPath}/`)) return answer(request)
      const { method, target, headers, body } = request
      const at = performance.now()
      const came = typeof body === 'function' ? await body(maxBodyBytes) : body
      const isWhole = came instanceof Uint8Array
      const recorded: RecordedRequest = {
        method,
        target,
        headers,
        body: isWhole ? new TextDecoder().decode(came) : '',
        at,
      }
      requests.push(recorded)
      recorded.response = await override(recorded, () =>
        answer({ ...request, body: isWhole ? came : async () => came }),
      )
      return recorded.response
    },
    /** All requests so far, oldest first. A slice from an earlier length contains those since then. */
    requests: requests as readonly RecordedRequest[],
    /** Responds instead of the service until disposed of. */
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
