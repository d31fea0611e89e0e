import { useAccount, useAction } from './live.ts'
import { sandbox } from './sandbox.ts'

/** The switch that keeps the callbacks of a tenant pending until they are released. */
export function useHold(tenant: string) {
  const { callbacks } = sandbox.control(tenant)
  const { data } = useAccount(tenant)
  const hold = useAction(tenant, () => callbacks.hold(), 'Callbacks are now held.')
  const release = useAction(tenant, () => callbacks.release(), 'Due callbacks were sent.')
  return { isHolding: data?.callbacks_held === true, hold, release }
}
