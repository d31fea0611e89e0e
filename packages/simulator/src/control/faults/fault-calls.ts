import type { FaultDefinition } from '../../faults/fault-store.ts'
import { type ControlCalls, type ControlContext, done, onOpenTenants, onTenants } from '../context.ts'
import { controlError, noSuch, readInput } from '../control-error.ts'
import { faultOrder } from './fault.shape.ts'
import type { faultOperations } from './fault-operations.ts'

/** How many faults a tenant has at the most. */
const maxFaults = 1_000

const tooMany = controlError(
  409,
  'too_many',
  `The tenant has ${maxFaults} faults already. Clear those that are done with.`,
)

/** What the operations on faults do. */
export function faultCalls(context: ControlContext): ControlCalls<typeof faultOperations> {
  const onTenant = onTenants(context)
  const onOpenTenant = onOpenTenants(context)
  return {
    addFault: onOpenTenant(async ({ faults }, { body }) => {
      const { value, refused } = readInput(faultOrder, body)
      if (refused) return refused
      if (faults.list().length >= maxFaults) return tooMany
      return done(await faults.add(value as FaultDefinition), 201)
    }),
    listFaults: onTenant(async ({ faults }) => done({ faults: faults.list() })),
    clearFaults: onOpenTenant(async ({ faults }) => {
      const cleared = faults.list().length
      await faults.remove()
      return done({ cleared })
    }),
    removeFault: onOpenTenant(async ({ faults }, { params: { fault_id = '' } }) =>
      (await faults.remove(fault_id)) ? done({ cleared: 1 }) : noSuch('fault'),
    ),
  }
}
