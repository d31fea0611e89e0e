import type { SandboxStorage } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Transactor } from '../sql/statement.ts'
import { clearContent, copyContent } from './tenant-content.ts'

type Snapshots = Pick<SandboxStorage, 'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot'>

/** Snapshots of tenants: each is a tenant at rest, under a key that no tenant's name can be. */
export function sqlSnapshots({ transact }: Pick<Transactor, 'transact'>, statements: Statements): Snapshots {
  const keyOf = (tenant: string, name: string) => `${tenant}/${name}`

  return {
    async saveSnapshot(tenant, { name, saved_at }) {
      const snapshot = keyOf(tenant, name)
      await transact(async db => {
        await db.run(statements.deleteTenant, { tenant: snapshot })
        const added = await db.run(statements.addSnapshot, { tenant, snapshot, saved_at })
        if (added === 0) throw new Error(`There is no tenant ${tenant}.`)
        await copyContent(db, statements, { from: tenant, to: snapshot })
      })
    },
    restoreSnapshot: (tenant, name) =>
      transact(async db => {
        const snapshot = keyOf(tenant, name)
        const row = await db.first(statements.findTenant, { tenant: snapshot })
        if (!row) return undefined
        await db.run(statements.replaceTenant, { tenant, record: row.record })
        await clearContent(db, statements, tenant)
        await copyContent(db, statements, { from: snapshot, to: tenant })
        return JSON.parse(row.record)
      }),
    async listSnapshots(tenant) {
      const rows = await transact(db => db.all(statements.listSnapshots, { tenant }))
      return rows.map(({ tenant: key, saved_at }) => ({
        name: key.slice(keyOf(tenant, '').length),
        saved_at: saved_at as number,
      }))
    },
    async deleteSnapshot(tenant, name) {
      await transact(db => db.run(statements.deleteTenant, { tenant: keyOf(tenant, name) }))
    },
  }
}
