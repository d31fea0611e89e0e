// Made by Kysely from queries.ts and migrations/. Make it anew: vitest run apps/sandbox/src/storage/sql -u
import type { CompiledMigration } from '../migrations/migration.ts'
import type { Statements } from './queries.ts'

/** Every statement, for sqlite. */
export const statements: Statements = {
  findCustomer: {
    sql: `select "lead_id", "refused_at" from "customers" where "tenant" = ? and "product_id" = ? and "email" = ?`,
    params: ["tenant","product_id","email"],
  },
  claimCustomer: {
    sql: `insert into "customers" ("tenant", "product_id", "email", "lead_id") values (?, ?, ?, ?) on conflict ("tenant", "product_id", "email") do update set "lead_id" = "excluded"."lead_id" where "customers"."lead_id" is null`,
    params: ["tenant","product_id","email","lead_id"],
  },
  markRefused: {
    sql: `insert into "customers" ("tenant", "product_id", "email", "refused_at") values (?, ?, ?, ?) on conflict ("tenant", "product_id", "email") do update set "refused_at" = "excluded"."refused_at"`,
    params: ["tenant","product_id","email","refused_at"],
  },
  addLead: {
    sql: `insert into "leads" ("tenant", "lead_id", "product_id", "email", "status", "rejection_reason", "received_at", "submission", "trace", "deliveries") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: ["tenant","lead_id","product_id","email","status","rejection_reason","received_at","submission","trace","deliveries"],
  },
  findLead: {
    sql: `select * from "leads" where "lead_id" = ? and "tenant" = ?`,
    params: ["lead_id","tenant"],
  },
  claimEvent: {
    sql: `insert into "events" ("tenant", "lead_id", "advertiser_id", "event", "recorded_at", "report") values (?, ?, ?, ?, ?, ?) on conflict ("tenant", "lead_id", "advertiser_id", "event") do nothing`,
    params: ["tenant","lead_id","advertiser_id","event","recorded_at","report"],
  },
  listEvents: {
    sql: `select * from "events" where "tenant" = ? and "lead_id" = ? order by "seq"`,
    params: ["tenant","lead_id"],
  },
  addCallback: {
    sql: `insert into "callbacks" ("tenant", "callback_id", "lead_id", "event", "url", "state", "due_at", "attempts") values (?, ?, ?, ?, ?, ?, ?, ?)`,
    params: ["tenant","callback_id","lead_id","event","url","state","due_at","attempts"],
  },
  findCallback: {
    sql: `select * from "callbacks" where "tenant" = ? and "callback_id" = ?`,
    params: ["tenant","callback_id"],
  },
  listCallbacks: {
    sql: `select * from "callbacks" where "tenant" = ? and "lead_id" = ? order by "seq"`,
    params: ["tenant","lead_id"],
  },
  dueCallbacks: {
    sql: `select "first".* from "callbacks" as "first" where "first"."tenant" = ? and "first"."state" = 'pending' and not exists (select "older"."seq" from "callbacks" as "older" where "older"."state" = 'pending' and "older"."tenant" = "first"."tenant" and "older"."lead_id" = "first"."lead_id" and "older"."seq" < "first"."seq") and "first"."due_at" <= ? and ("first"."leased_until" is null or "first"."leased_until" <= ?) order by "first"."due_at", "first"."seq" limit ?`,
    params: ["tenant","due_by","now","limit"],
  },
  leaseCallback: {
    sql: `update "callbacks" set "leased_until" = ? where "seq" = ?`,
    params: ["leased_until","seq"],
  },
  recordAttempt: {
    sql: `update "callbacks" set "url" = ?, "attempts" = ?, "state" = ?, "due_at" = ?, "leased_until" = null where "seq" = ?`,
    params: ["url","attempts","state","due_at","seq"],
  },
  nextCallbackDue: {
    sql: `select "first"."due_at" from "callbacks" as "first" where "first"."tenant" = ? and "first"."state" = 'pending' and not exists (select "older"."seq" from "callbacks" as "older" where "older"."state" = 'pending' and "older"."tenant" = "first"."tenant" and "older"."lead_id" = "first"."lead_id" and "older"."seq" < "first"."seq") and "first"."due_at" is not null order by "first"."due_at" limit 1`,
    params: ["tenant"],
  },
  releaseLeases: {
    sql: `update "callbacks" set "leased_until" = null where "tenant" in (select "tenant" from "tenants") and "state" = 'pending' and "leased_until" is not null`,
    params: [],
  },
  addTenant: {
    sql: `insert into "tenants" ("tenant", "record") values (?, ?) on conflict ("tenant") do nothing`,
    params: ["tenant","record"],
  },
  replaceTenant: {
    sql: `update "tenants" set "record" = ? where "tenant" = ?`,
    params: ["record","tenant"],
  },
  deleteTenant: {
    sql: `delete from "tenants" where "tenant" = ?`,
    params: ["tenant"],
  },
  listTenants: {
    sql: `select "record" from "tenants" order by "seq"`,
    params: [],
  },
  newestLead: {
    sql: `select "lead_id" from "leads" where "tenant" = ? order by "lead_id" desc limit 1`,
    params: ["tenant"],
  },
  newestCallback: {
    sql: `select "callback_id" from "callbacks" where "tenant" = ? order by "callback_id" desc limit 1`,
    params: ["tenant"],
  },
  addInboxEntry: {
    sql: `insert into "inbox" ("tenant", "entry") values (?, ?)`,
    params: ["tenant","entry"],
  },
  listInbox: {
    sql: `select "entry" from "inbox" where "tenant" = ? order by "seq"`,
    params: ["tenant"],
  },
}

/** Every migration, for sqlite, oldest first. */
export const migrations: readonly CompiledMigration[] = [
  {
    name: '0001-first-tables',
    statements: [
      `create table "tenants" ("seq" integer primary key, "tenant" text not null unique, "record" text not null)`,
      `create table "customers" ("tenant" text not null references "tenants" ("tenant") on delete cascade, "product_id" text not null, "email" text not null, "lead_id" text, "refused_at" bigint, constraint "customers_claim" primary key ("tenant", "product_id", "email")) without rowid`,
      `create table "leads" ("seq" integer primary key, "tenant" text not null references "tenants" ("tenant") on delete cascade, "lead_id" text not null, "product_id" text not null, "email" text not null, "status" text not null, "rejection_reason" text, "received_at" bigint not null, "submission" text not null, "trace" text not null, "deliveries" text not null, constraint "leads_by_id" unique ("tenant", "lead_id"))`,
      `create table "events" ("seq" integer primary key, "tenant" text not null references "tenants" ("tenant") on delete cascade, "lead_id" text not null, "advertiser_id" text not null, "event" text not null, "recorded_at" bigint not null, "report" text not null, constraint "events_claim" unique ("tenant", "lead_id", "advertiser_id", "event"))`,
      `create table "callbacks" ("seq" integer primary key, "tenant" text not null references "tenants" ("tenant") on delete cascade, "callback_id" text not null, "lead_id" text not null, "event" text not null, "url" text not null, "state" text not null, "due_at" bigint, "leased_until" bigint, "attempts" text not null, constraint "callbacks_by_id" unique ("tenant", "callback_id"))`,
      `create index "callbacks_by_lead" on "callbacks" ("tenant", "lead_id", "seq")`,
      `create index "callbacks_due" on "callbacks" ("tenant", "due_at", "seq") where "state" = 'pending'`,
      `create table "inbox" ("seq" integer primary key, "tenant" text not null references "tenants" ("tenant") on delete cascade, "entry" text not null)`,
      `create index "inbox_by_tenant" on "inbox" ("tenant", "seq")`,
    ],
  },
]
