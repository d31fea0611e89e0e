import type { Migration } from './migration.ts'

/**
 * What a tenant has is found by a key of its own, so that other content can take its place in one step; `name` is the
 * tenant or snapshot that has it, null for content that is on its way or nobody's any more. Claims are an index of leads
 * by address, rejected leads have another: a lead is in one of the two.
 */
export const contentAndLookUps: Migration = ({ oneTree, text, tenant }) => `
  alter table tenants add column name ${text};
  update tenants set name = tenant;
  create unique index tenants_by_name on tenants (name);

  create table customers_by_email (
    ${tenant},
    email ${text} not null,
    product_id ${text} not null,
    lead_id ${text},
    refused_at bigint,
    constraint customers_by_email_claim primary key (tenant, email, product_id)
  ) ${oneTree};
  insert into customers_by_email (tenant, email, product_id, lead_id, refused_at)
    select tenant, email, product_id, lead_id, refused_at from customers order by tenant, email, product_id;
  drop table customers;
  alter table customers_by_email rename to customers;

  create index leads_by_status on leads (tenant, status, lead_id);
  create index leads_rejected on leads (tenant, email, lead_id) where status = 'rejected';
  create index callbacks_by_state on callbacks (tenant, state, callback_id);
`
