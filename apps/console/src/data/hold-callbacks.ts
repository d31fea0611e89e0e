import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { liveKey, useAction } from './live.ts'
import { sandbox } from './sandbox.ts'

/** The longest delay that a fault takes: what is delayed by it stays pending until it is released. */
const forGood = 'P3650D'

type Fault = Awaited<ReturnType<TenantControl['faults']['list']>>['faults'][number]

/** Whether a fault holds every callback back. */
const holds = ({ match, effect, times }: Fault) =>
  match.operation === 'callback' && effect.delay === forGood && times === undefined

/** The switch that keeps callbacks pending: a fault that delays each of them for good, until they are released. */
export function useHold(tenant: string) {
  const control = sandbox.control(tenant)
  const { data } = useQuery({ queryKey: liveKey(tenant, 'faults'), queryFn: () => control.faults.list() })
  const holding = data?.faults.find(holds)
  const hold = useAction(
    tenant,
    () => control.faults.add({ match: { operation: 'callback' }, effect: { delay: forGood } }),
    'Callbacks are kept from now on.',
  )
  const release = useAction(tenant, () => releaseAll(control, holding), 'Callbacks are sent again.')
  return { isHolding: holding !== undefined, hold, release }
}

/** Takes the fault away, then sends what it held. */
async function releaseAll(control: TenantControl, holding: Fault | undefined): Promise<void> {
  if (holding) await control.faults.remove(holding.fault_id)
  for (let before: string | undefined; ; ) {
    const { callbacks, next } = await control.callbacks.list({ state: 'pending', limit: 100, before })
    for (const { callback_id, held } of callbacks.toReversed())
      if (held === 'delay') await control.callbacks.resend(callback_id)
    if (next === undefined) return
    before = next
  }
}
