import { connectSandbox, type Sandbox } from '@lead-distribution/control-client'
import { createLeadSandbox, type SandboxFetch } from '@lead-distribution/msw'

/** The address that the guides use: the sandbox in the page has it too, and nothing listens there. */
export const address = 'http://127.0.0.1:4010'

/** A sandbox in this page, as `lead-sandbox start` starts it: with the tenant `demo` and nothing in it. */
export interface DemoSandbox extends Sandbox {
  /** Calls the sandbox, and nothing else. */
  readonly fetch: SandboxFetch
}

/** Starts a sandbox in memory. */
export async function startDemoSandbox(): Promise<DemoSandbox> {
  const sandbox = await createLeadSandbox({ baseUrl: `${address}/api/v1` })
  // The tenant that tests start with. The documented one remains.
  await sandbox.delete()
  const { fetch } = sandbox
  const connected = await connectSandbox({ baseUrl: address, fetch })
  return Object.assign(connected, { fetch })
}
