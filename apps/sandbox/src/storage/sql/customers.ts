import type { CustomerRecord } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import { insertion, statement, type TableContext, type TenantKey } from './statement.ts'

interface CustomerKey extends TenantKey {
  product_id: string
  email: string
}

/** A row of `customers`. */
interface CustomerRow extends Omit<CustomerKey, 'tenant'> {
  /** The lead that has the address. */
  lead_id: string | null
  refused_at: number | null
}

/** Statements for customers: what is known of the addresses of each product. */
const customerStatements = {
  findCustomer: statement<CustomerKey, Pick<CustomerRow, 'lead_id' | 'refused_at'>>(
    `select lead_id, refused_at from customers
     where tenant = :tenant and product_id = :product_id and email = :email`,
  ),
  listCustomers: statement<TenantKey & Pick<CustomerKey, 'product_id' | 'email'> & { limit: number }, CustomerRow>(
    `select product_id, email, lead_id, refused_at from customers
     where tenant = :tenant and (email, product_id) > (:email, :product_id) order by email, product_id limit :limit`,
  ),
  /** Changes no row where another lead has the address. */
  claimCustomer: insertion<CustomerKey & { lead_id: string }>(
    `insert into customers (tenant, product_id, email, lead_id) values (:tenant, :product_id, :email, :lead_id)
     on conflict (tenant, email, product_id) do update set lead_id = excluded.lead_id
     where customers.lead_id is null`,
  ),
  markRefused: statement<CustomerKey & { refused_at: number }>(
    `insert into customers (tenant, product_id, email, refused_at) values (:tenant, :product_id, :email, :refused_at)
     on conflict (tenant, email, product_id) do update set refused_at = excluded.refused_at`,
  ),
}

/** One tenant's table of customers. */
export const customerTables = {
  async findCustomer(product_id, email) {
    // What is stored of a submission follows from it: the next one with this address has to see that.
    await this.db.turn?.(`${this.tenant} ${product_id} ${email}`, 'everywhere')
    const row = await this.db.first(customerStatements.findCustomer, { tenant: this.tenant, product_id, email })
    if (row?.lead_id == null) this.free = `${product_id} ${email}`
    return row && fromCustomerRow(row)
  },
  async listCustomers(limit, { email, product_id } = { email: '', product_id: '' }) {
    const rows = await this.db.all(customerStatements.listCustomers, { tenant: this.tenant, email, product_id, limit })
    return rows.map(row => ({ product_id: row.product_id, email: row.email, ...fromCustomerRow(row) }))
  },
  async claimCustomer(product_id, email, lead_id) {
    const row = { tenant: this.tenant, product_id, email, lead_id }
    // No other transaction has the turn of a customer that this one found free: the answer is known.
    if (this.free !== `${product_id} ${email}`) return (await this.db.run(customerStatements.claimCustomer, row)) === 1
    this.free = undefined
    await this.db.write(customerStatements.claimCustomer, row)
    return true
  },
  async markRefused(product_id, email, refused_at) {
    await this.db.write(customerStatements.markRefused, { tenant: this.tenant, product_id, email, refused_at })
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>

function fromCustomerRow({ lead_id, refused_at }: Pick<CustomerRow, 'lead_id' | 'refused_at'>): CustomerRecord {
  return { ...(lead_id === null ? {} : { lead_id }), ...(refused_at === null ? {} : { refused_at }) }
}
