import { randomBytes } from 'node:crypto'
import { createSandboxClient } from '@lead-distribution/control-client'
import { resolveSettings, type Settings } from '@lead-distribution/engine'
import { type ControlInput, demoName, isLoopback } from '@lead-distribution/simulator'
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
  const adminToken = isLoopback(host) ? undefined : randomBytes(24).toString('base64url')
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
