import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { controlBounds } from '@lead-distribution/simulator/paths'
import type { CallOperation } from './call-operation.ts'
import { ControlError } from './control-error.ts'

/** A callback to the publisher, with all its attempts. */
export interface Callback extends ControlReply<'showCallback'> {}

/**
 * The callbacks of a tenant.
 * @throws ControlError each method, where the sandbox refuses the call, or does not reply.
 * @throws PathError each method, where a name or an id cannot be part of a path; nothing was sent.
 */
export interface CallbackControl {
  /** The callbacks that match, newest first; `limit` is how many come at most. */
  list(filter?: ControlInput<'listCallbacks'>): Promise<ControlReply<'listCallbacks'>>
  /** A callback with each attempt. */
  show(callbackId: string): Promise<Callback>
  /** Sends it again, whatever its state. */
  resend(callbackId: string): Promise<Callback>
  /** Sends all again that failed since a date-time, or since a duration back from now. */
  recover(since: ControlInput<'recoverCallbacks'>): Promise<ControlReply<'recoverCallbacks'>>
  /**
   * Waits until a callback of a lead is delivered, for at most `timeout_ms`; 5 s by default.
   * @throws ControlError with the status 404 where the time is up.
   */
  wait(wanted: ControlInput<'waitForCallback'>): Promise<Callback>
}

/** The longest that the control plane holds one reply back, milliseconds. */
const longestHoldMs = controlBounds.timeout_ms.max

/** Waits for a callback, call after call where that takes longer than one may. */
export async function waitForCallback(
  call: CallOperation,
  tenant: string,
  { timeout_ms: leftMs = 5_000, ...wanted }: ControlInput<'waitForCallback'>,
): Promise<Callback> {
  const timeout_ms = Math.min(leftMs, longestHoldMs)
  try {
    return await call('waitForCallback', { tenant }, { ...wanted, timeout_ms }, { holdMs: timeout_ms })
  } catch (error) {
    const isTimeUp = error instanceof ControlError && error.status === 404
    if (!isTimeUp || leftMs <= longestHoldMs) throw error
    return waitForCallback(call, tenant, { ...wanted, timeout_ms: leftMs - longestHoldMs })
  }
}
