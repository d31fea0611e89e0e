import { controlOperations } from '@lead-distribution/simulator'
import * as z from 'zod/mini'

const { createTenant, changeTenant, addFault, changeClock } = controlOperations

/**
 * A tenant in a configuration: its creation options, changes, faults and clock, each in the form of the control plane.
 */
const configuredTenant = z.extend(createTenant.input, {
  // Identifies the tenant on the next start.
  name: z.nonoptional(createTenant.input.shape.name),
  ...z.pick(changeTenant.input, { products: true, blacklist: true }).shape,
  faults: z.optional(z.array(addFault.input)),
  clock: z.optional(changeClock.input),
})

/**
 * A configuration: the tenants with which a sandbox starts.
 * @category Options
 */
export const configurationShape = z.strictObject({
  // For editors.
  $schema: z.optional(z.string()),
  tenants: z.array(configuredTenant),
})

/**
 * The tenants with which a sandbox starts. Missing ones are created; existing ones are updated, and keep their keys,
 * their leads and anything that the configuration does not mention.
 * @category Options
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
 * @category Options
 */
export function configurationSchema(): object {
  const schema = z.toJSONSchema(configurationShape, { io: 'input', unrepresentable: 'any' })
  return { ...schema, title: 'The configuration of a lead distribution sandbox: lead-sandbox start --config FILE' }
}
