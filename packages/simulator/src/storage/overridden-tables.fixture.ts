import type { SandboxTables } from './sandbox-tables.ts'

/** Returns tables with some methods overridden. */
export function overridden(tables: SandboxTables, methods: Partial<SandboxTables>): SandboxTables {
  return Object.assign(Object.create(tables), methods)
}
