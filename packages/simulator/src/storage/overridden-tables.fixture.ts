import type { SandboxTables } from './sandbox-tables.ts'

/** Tables with other methods in place of some. */
export function overridden(tables: SandboxTables, methods: Partial<SandboxTables>): SandboxTables {
  return Object.assign(Object.create(tables), methods)
}
