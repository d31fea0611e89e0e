import { controlOperations } from '@lead-distribution/simulator'
import * as z from 'zod/mini'

const { createTenant, changeTenant, addFault, changeClock } = controlOperations

/** A tenant of a configuration: what creates it, what changes it, its faults and its clock, each as the control plane takes it. */
const configuredTenant = z.extend(createTenant.input, {
  // By its name it is found again at the next start.
  name: z.nonoptional(createTenant.input.shape.name),
  ...z.pick(changeTenant.input, { products: true, blacklist: true }).shape,
  faults: z.optional(z.array(addFault.input)),
  clock: z.optional(changeClock.input),
})

/** A configuration: the tenants that a sandbox starts with. */
export const configurationShape = z.strictObject({
  // For editors.
  $schema: z.optional(z.string()),
  tenants: z.array(configuredTenant),
})

/**
 * The tenants that a sandbox starts with. One that is missing is created; one that is there is changed to match, and keeps
 * its keys, its leads and whatever the configuration does not name.
 */
export type Configuration = z.input<typeof configurationShape>

/**
 * The JSON Schema of a configuration, for editors.
 * @example
 * ```ts
 * import { configurationSchema } from '@lead-distribution/sandbox'
 * import { writeFile } from 'node:fs/promises'
 *
 * await writeFile('lead-sandbox.schema.json', JSON.stringify(configurationSchema(), null, 2))
 * ```
 */
export function configurationSchema(): object {
  const schema = z.toJSONSchema(configurationShape, { io: 'input', unrepresentable: 'any' })
  return { ...schema, title: 'The configuration of a lead distribution sandbox: lead-sandbox start --config FILE' }
}
