import type { EgressReply, OutboundCallback } from '@lead-distribution/engine'

/** A callback whose address was checked, and the check of what its host turns out to be. */
export interface Dial extends OutboundCallback {
  /** Why an address must not be dialled; undefined where it may. Asked with the very address that is dialled. */
  readonly refuseAddress: (address: string) => string | undefined
}

/** Sends one HTTP GET: follows no redirect, reads no more of the reply than its status, never throws. */
export interface Dialer {
  get(dial: Dial): Promise<EgressReply>
  /** Cuts what is under way. */
  close(): void
}
