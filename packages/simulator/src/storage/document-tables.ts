import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { TenantMemory } from './tenant-memory.ts'
import { replaceLogged, setLogged, type UndoLog } from './undo-log.ts'

/** The tables of chains and documents over a tenant's memory. */
export function memoryDocumentTables(memory: TenantMemory, log: UndoLog) {
  return {
    async readChain(key) {
      return memory.chains.get(key) ?? 0
    },
    async setChain(key, plays) {
      setLogged(memory.chains, key, plays, log)
    },
    async readDocuments() {
      return { ...memory.documents }
    },
    async writeDocument(name, value) {
      replaceLogged(memory, 'documents', { ...memory.documents, [name]: value }, log)
    },
  } satisfies Partial<SandboxTables>
}
