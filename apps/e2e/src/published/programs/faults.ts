// Makes every call of both SDKs against every fault of the server, in any runtime, and returns the outcomes.
import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { type ClientOptions, createPublisher, LeadSdkError } from '@lead-distribution/publisher-sdk'
import { lead } from './smoke.ts'

/** The addresses of the fault servers, and addresses without a server. */
export interface FaultSettings {
  origin: string
  /** The HTTP/2 server. */
  secureOrigin: string
  apiKey: string
  leadId: string
  /**
   * The faults. `kept`: acts on a connection's second request. `hangs`: only the timeout ends the call. `secure`: over
   * TLS. `baseUrl`: an address without a server.
   */
  faults: { name: string; kept?: boolean; hangs?: boolean; secure?: boolean; baseUrl?: string }[]
}

/** The outcome of a call, and the number of its requests that reached the server. */
export interface Ending {
  fault: string
  call: string
  outcome: string
  attempts: number
  reached: number
}

/** Makes every call with every fault. */
export async function meetFaults(settings: FaultSettings, shared: ClientOptions = {}): Promise<Ending[]> {
  const { origin, secureOrigin, apiKey, leadId, faults } = settings
  const endings: Ending[] = []
  // Minimizes the delays between retries.
  Math.random = () => 0
  for (const { name, kept, hangs, secure, baseUrl } of faults) {
    for (const call of ['submit', 'reportStatus', 'fire'] as const) {
      const path = `/${encodeURIComponent(name)}/${call}`
      const server = secure ? secureOrigin : origin
      const client = {
        baseUrl: baseUrl ?? `${server}${path}/api/v1`,
        apiKey,
        // Long enough for a busy machine to reach the server or to respond.
        timeoutMs: hangs ? 2000 : 20_000,
        ...shared,
      }
      const calls = {
        submit: () => createPublisher(client).submit(lead('ana@example.com')),
        reportStatus: () => createAdvertiser(client).reportStatus(leadId, { status: 'approved' }),
        fire() {
          const advertiser = createAdvertiser(client)
          const url = advertiser.parsePostbackUrl(`${client.baseUrl}/lead/${leadId}/status?token=t`)
          return advertiser.fire(url, { event: 'approved' })
        },
      }
      if (kept) {
        await calls[call]()
        // A runtime returns the connection to its pool one turn after it read the response.
        await new Promise(resolve => setTimeout(resolve))
      }
      const ended = await calls[call]().catch((error: unknown) => error)
      const reached = baseUrl ? 0 : Number(await (await fetch(`${origin}${path}/reached`)).text()) - (kept ? 1 : 0)
      endings.push({ fault: name, call, ...read(ended), reached })
    }
  }
  return endings
}

function read(ended: unknown): Pick<Ending, 'outcome' | 'attempts'> {
  if (LeadSdkError.is(ended)) return { outcome: ended.code, attempts: ended.meta?.attempts ?? 0 }
  const { outcome, meta, possiblyOwnLead } = ended as {
    outcome: string
    meta: { attempts: number }
    possiblyOwnLead?: boolean
  }
  return { outcome: possiblyOwnLead ? `${outcome}, possibly its own lead` : outcome, attempts: meta.attempts }
}
