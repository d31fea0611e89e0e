import { controlBounds } from '@lead-distribution/simulator/paths'
import { ServerRefusal } from '../connection/server-refusal.ts'
import type { Session } from '../connection/session.ts'
import { withProgress } from '../printing/progress.ts'
import { callbackText } from './callback-text.ts'

/** What is waited for, and how long, an ISO 8601 duration. */
interface Flags {
  readonly lead: string
  readonly event?: string
  readonly timeout: string
}

/** The longest wait that the control plane takes in one call, milliseconds. */
const longestCallMs = controlBounds.timeout_ms.max

/** Waits until a callback was delivered, call after call where that takes long. */
export async function wait(session: Session, { lead, event, timeout }: Flags): Promise<void> {
  const { durationMs } = await import('@lead-distribution/engine')
  const delivered = await withProgress('Waiting for the callback', () => ask(durationMs(timeout)))
  session.print(delivered, callbackText)

  async function ask(leftMs: number) {
    const query = { lead_id: lead, event, timeout_ms: Math.min(leftMs, longestCallMs) }
    try {
      return await session.ask<'waitForCallback'>('GET', ['callbacks', 'wait'], { query })
    } catch (fault) {
      const isTimeUp = fault instanceof ServerRefusal && fault.status === 404
      if (!isTimeUp || leftMs <= longestCallMs) throw fault
      return ask(leftMs - longestCallMs)
    }
  }
}
