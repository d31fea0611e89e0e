import { randomBytes } from 'node:crypto'
import { TenantGone } from '@lead-distribution/simulator'
import { type Executor, statement, type TenantKey } from './statement.ts'

interface Named {
  /**
   * A tenant's name; for a snapshot, the tenant's name and its own, joined by a slash, which no tenant's name contains.
   */
  name: string
}

/**
 * The statements for tenants and their snapshots: each is a row with the key of its content. The row gets its name when
 * its content is complete, and loses it before the content is removed.
 */
export const tenantStatements = {
  /** Changes no row if the name is taken. A record is a `TenantRecord` as JSON. */
  addTenant: statement<TenantKey & Named & { record: string }>(
    'insert into tenants (tenant, name, record) values (:tenant, :name, :record) on conflict (name) do nothing',
  ),
  replaceTenant: statement<Named & { record: string }>(
    'update tenants set record = :record where name = :name',
    // The default of a version is the current transaction's number.
    'update tenants set record = :record, version = default where name = :name',
  ),
  find: statement<Named, TenantKey & { seq: number; record: string }>(
    'select tenant, seq, record from tenants where name = :name',
    // Until the transaction ends, no other process can give the name to other content.
    'select tenant, seq, record from tenants where name = :name for key share',
  ),
  /**
   * Fails the transaction if the tenant has other content, or a version other than the given one. Until the transaction
   * ends, no one else can replace the tenant's content.
   */
  hold: statement<Named & TenantKey & { version: number | null }, { held: number }>(
    'select 1 as held from tenants where name = :name and tenant = :tenant and :version is null',
    `select 1 / count(*) as held from (
       select from tenants where name = :name and tenant = :tenant
         and (cast(:version as bigint) is null or version = cast(:version as bigint)) for key share) as content`,
  ),
  /** Fails the transaction if the tenant has other content. */
  check: statement<Named & TenantKey, { held: number }>(
    'select 1 / count(*) as held from tenants where name = :name and tenant = :tenant',
  ),
  listTenants: statement<object, Named & { record: string }>(
    'select name, record from tenants where snapshot_of is null and name is not null order by seq',
  ),
  findSnapshot: statement<Named, TenantKey & { record: string; saved_at: number }>(
    'select tenant, record, saved_at from tenants where name = :name',
  ),
  listSnapshots: statement<TenantKey, Named & { saved_at: number }>(
    'select name, saved_at from tenants where snapshot_of = :tenant order by seq',
  ),
  /** A row without a name. */
  stage: statement<TenantKey & { record: string }>('insert into tenants (tenant, record) values (:tenant, :record)'),
  /** Removes the row last, so that another can take its name earlier. */
  dropName: statement<Named>(
    `update tenants set name = null, snapshot_of = null, seq = (select max(seq) + 1 from tenants) where name = :name`,
    `with dropped as (
       update tenants set name = null, snapshot_of = null, seq = nextval(pg_get_serial_sequence('tenants', 'seq'))
       where name = :name returning tenant)
     insert into gone (tenant) select tenant from dropped`,
  ),
  dropSnapshots: statement<TenantKey>('update tenants set name = null, snapshot_of = null where snapshot_of = :tenant'),
  /** Gives a staged row the name and position of a tenant. */
  becomeTenant: statement<TenantKey & Named & { seq: number }>(
    'update tenants set name = :name, seq = :seq where tenant = :tenant',
    'update tenants set name = :name, seq = :seq, version = default where tenant = :tenant',
  ),
  moveSnapshots: statement<TenantKey & { from: string }>(
    'update tenants set snapshot_of = :tenant where snapshot_of = :from',
  ),
  /** Gives a staged row the name of a snapshot. `saved_at` is real time. */
  becomeSnapshot: statement<TenantKey & Named & { of: string; saved_at: number }>(
    'update tenants set name = :name, snapshot_of = :of, saved_at = :saved_at where tenant = :tenant',
  ),
  listNameless: statement<object, TenantKey>('select tenant from tenants where name is null'),
  remove: statement<TenantKey>('delete from tenants where tenant = :tenant'),
  replaceRecord: statement<TenantKey & { record: string }>(
    'update tenants set record = :record where tenant = :tenant',
  ),
  /**
   * Writes as much as a small lead. A change is needed because an unchanged row would not be written; JSON may end with
   * a space.
   */
  touchFirst: statement<object>(
    `update tenants set record = case when record like '% ' then rtrim(record) else record || ' ' end
     where seq = (select min(seq) from tenants)`,
  ),
}

/** Returns an unused content key. */
export function newKey(): string {
  return `/${randomBytes(9).toString('base64url')}`
}

/** Returns a tenant's row; throws if there is none. */
export async function findTenant(db: Executor, name: string) {
  const find = () => db.first(tenantStatements.find, { name })
  // On PostgreSQL, a lookup that waited for another process to give the name to other content finds neither.
  const found = (await find()) ?? (await find())
  if (!found) throw new TenantGone(`There is no tenant ${name}.`)
  return found
}

/** Removes the name from the content that has it. */
export async function dropName(db: Executor, name: string): Promise<void> {
  db.keys.delete(name)
  await db.write(tenantStatements.dropName, { name })
}
