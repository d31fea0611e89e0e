import { randomBytes } from 'node:crypto'
import { keyHeader, type LeadResponse, type LeadSubmission } from '@lead-distribution/contract'
import { type Callback, createSandboxClient } from '@lead-distribution/control-client'
import { resolveSettings, type Settings } from '@lead-distribution/engine'
import { type ControlInput, demoName, isLoopback } from '@lead-distribution/simulator'
import { createTestLeads } from '@lead-distribution/test-leads'
import { send } from '../cli/sandbox-verb.ts'
import { type ServerOptions, startServer } from '../server.ts'
import type { ProfileName } from './check.ts'
import { createRecorder } from './recorder.ts'

/** Where the sandbox of a certification listens, and where its callbacks may go. */
export type CertifySandboxOptions = Pick<ServerOptions, 'host' | 'port' | 'seed' | 'publicUrl' | 'allowedCallbackHosts'>

/**
 * A sandbox for one certification, in this process and in memory. The application knows it as its demo account, whose
 * keys are the documented ones on this machine: it can be started before it, and with what it had for `start`. The ids
 * of leads are new ones: an application may remember those of earlier certifications.
 */
export async function openCertifySandbox({ host = '127.0.0.1', ...options }: CertifySandboxOptions) {
  const recorder = createRecorder()
  const hosts = [host, ...(options.publicUrl === undefined ? [] : [new URL(options.publicUrl).hostname])]
  const adminToken = hosts.every(isLoopback) ? undefined : randomBytes(24).toString('base64url')
  const randomSalt = randomBytes(16).toString('hex')
  const intercept = recorder.intercept
  const server = await startServer({ ...options, host, adminToken, logLevel: 'error', intercept, randomSalt })
  const client = createSandboxClient({ baseUrl: server.url, adminToken, timeoutMs: false, retries: 0 })
  const tenant = client.control(demoName)
  return {
    recorder,
    /** The control plane of the account. */
    tenant,
    /** The present account, keys included. */
    account: () => server.account(),
    /**
     * Begins a round: every interpretation is the profile's, except what the certification itself sets. Leads of earlier
     * rounds stay: after a reset their ids would come again.
     */
    async enter(
      profile: ProfileName,
      settings: Partial<Settings> = {},
      change: ControlInput<'changeTenant'> = {},
    ): Promise<void> {
      await tenant.update({ settings: { ...resolveSettings({ profile }), ...settings }, ...change })
    },
    close: () => server.close(),
  }
}

/** The sandbox of a certification. */
export type CertifySandbox = Awaited<ReturnType<typeof openCertifySandbox>>

/** A callback of the sandbox with its tries. */
export type SentCallback = Callback

/** A fault of the sandbox: which calls it matches, what happens to them, and how often. */
export interface Fault {
  readonly match: { readonly operation: 'submitLead' | 'callback'; readonly scenario?: string }
  readonly effect: ControlInput<'addFault'>['effect']
  readonly times?: number | undefined
}

/** What a certification does with its sandbox, by the control plane and by the service as others reach it. */
export function createSandboxControl({ tenant, account }: Pick<CertifySandbox, 'tenant' | 'account'>) {
  return {
    /** Submits a lead that advertisers take, with the publisher's key; the application did not send it. */
    async submitTestLead(): Promise<{ readonly lead_id: string; readonly lead: LeadSubmission }> {
      const { base_url, publisher } = account()
      const lead = createTestLeads(account()).distributed()
      const headers = { [keyHeader]: publisher.api_key, 'content-type': 'application/json' }
      const response = await send(new URL(`${base_url}/lead`), { method: 'POST', headers, body: JSON.stringify(lead) })
      return { lead_id: (response as LeadResponse).lead_id ?? '', lead }
    },
    deliveries: async (lead_id: string) => (await tenant.leads.show(lead_id)).deliveries,
    /** Runs some work while a fault acts. */
    async withFault<Value>(fault: Fault, work: () => Promise<Value>): Promise<Value> {
      await tenant.faults.add(fault)
      try {
        return await work()
      } finally {
        await tenant.faults.clear()
      }
    },
    /** The simulated advertiser reports an event. */
    async trigger(lead_id: string, event: string, via: 'pixel' | 'body'): Promise<void> {
      await tenant.leads.trigger(lead_id, { event, via })
    },
    async callbacks(lead_id: string): Promise<readonly SentCallback[]> {
      return (await tenant.callbacks.list({ lead_id })).callbacks
    },
    async resend(callback_id: string): Promise<void> {
      await tenant.callbacks.resend(callback_id)
    },
    /** What the other interpretations of the specification do with the lead that was submitted last. */
    async portabilityWarnings() {
      const { requests } = await tenant.requests.list({ operation: 'submitLead', limit: 1 })
      return requests[0]?.warnings ?? []
    },
  }
}

/** What a certification does with its sandbox. */
export type SandboxControl = ReturnType<typeof createSandboxControl>
