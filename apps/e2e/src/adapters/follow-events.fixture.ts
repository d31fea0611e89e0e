import type { SandboxEvent } from '@lead-distribution/control-client'
import { controlOperations } from '@lead-distribution/simulator'
import { expect, onTestFinished } from 'vitest'
import type { Tenant } from './tenant.ts'

const { reply: shape } = controlOperations.streamEvents

/** Reads a stream up to a matching event. Returns it and all events before it, each checked against the declared shape. */
export function follow(events: AsyncIterableIterator<SandboxEvent>) {
  const seen: SandboxEvent[] = []
  onTestFinished(() => void events.return?.())
  return {
    seen,
    async until(isWanted: (event: SandboxEvent) => boolean): Promise<SandboxEvent> {
      for (;;) {
        const { done, value } = await events.next()
        if (done) expect.unreachable('the stream ended')
        const { id: _, ...event } = value
        expect(shape.safeParse(event).error?.issues).toBeUndefined()
        seen.push(value)
        if (isWanted(value)) return value
      }
    },
  }
}

/** A tenant's stream, after its first event. */
export async function followed(tenant: Tenant, lastEventId?: string) {
  const stream = follow(tenant.client.events({ lastEventId }))
  const first = await stream.until(() => true)
  return { ...stream, first }
}
