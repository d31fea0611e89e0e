import type { FaultDefinition } from '../faults/fault-store.ts'
import { type ControlContext, type ControlHandlers, onTenants } from './context.ts'
import { controlError, noSuch } from './control-error.ts'
import { type faultOperations, maxFaults } from './faults.ts'

const tooMany = controlError(
  'too_many',
  `The tenant has ${maxFaults} faults already. Clear those that you no longer need.`,
)

/** The handlers of the operations on faults. What changes them waits while the tenant is restored or saved. */
export function faultHandlers(context: ControlContext): ControlHandlers<typeof faultOperations> {
  const onTenant = onTenants(context)
  return {
    addFault: onTenant(({ faults, lock }, { input }) =>
      lock.shared(async () => {
        if (faults.list().length >= maxFaults) return tooMany
        // The shape checks that the effect is one, and one that applies.
        return { body: await faults.add(input as FaultDefinition) }
      }),
    ),
    listFaults: onTenant(async ({ faults }) => ({ body: { faults: faults.list() } })),
    clearFaults: onTenant(({ faults, lock }) =>
      lock.shared(async () => {
        const cleared = faults.list().length
        await faults.remove()
        return { body: { cleared } }
      }),
    ),
    removeFault: onTenant(({ faults, lock }, { params }) =>
      lock.shared(async () => ((await faults.remove(params.fault_id)) ? { body: { cleared: 1 } } : noSuch('fault'))),
    ),
  }
}
