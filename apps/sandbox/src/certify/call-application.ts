import { refuseCallbackUrl } from '@lead-distribution/simulator'

/** A request to the application, sent past the sandbox. */
export interface ApplicationCall {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Hosts besides this machine that may be called. */
  readonly allowedHosts: readonly string[]
}

/** What the application answered; status 0 where it answered nothing. */
export interface ApplicationReply {
  readonly status: number
  readonly ms: number
}

/** How long the application may take, milliseconds: as long as the service waits for a callback (open point 10). */
const timeoutMs = 10_000

/** Calls the application where callbacks may go, and nowhere else; no redirect is followed. */
export async function callApplication({ url, allowedHosts, ...init }: ApplicationCall): Promise<ApplicationReply> {
  const refused = refuseCallbackUrl(url, allowedHosts)
  if (refused !== undefined) throw new Error(`The URL of the application ${refused}.`)
  const start = performance.now()
  const status = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).then(
    async reply => {
      await reply.body?.cancel()
      return reply.status
    },
    () => 0,
  )
  return { status, ms: performance.now() - start }
}
