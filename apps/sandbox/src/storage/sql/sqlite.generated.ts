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
  listLeads: {
    sql: `select * from "leads" where "tenant" = ? and "lead_id" < ? and (? is null or "status" = ?) and (? is null or "email" = ?) order by "lead_id" desc limit ?`,
    params: ["tenant","before","status","status","email","email","limit"],
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
    sql: `insert into "callbacks" ("tenant", "callback_id", "lead_id", "event", "url", "state", "due_at", "attempts", "held", "resent_after") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: ["tenant","callback_id","lead_id","event","url","state","due_at","attempts","held","resent_after"],
  },
  findCallback: {
    sql: `select * from "callbacks" where "tenant" = ? and "callback_id" = ?`,
    params: ["tenant","callback_id"],
  },
  listCallbacks: {
    sql: `select * from "callbacks" where "tenant" = ? and "lead_id" = ? order by "seq"`,
    params: ["tenant","lead_id"],
  },
  listAllCallbacks: {
    sql: `select * from "callbacks" where "tenant" = ? and "callback_id" < ? and (? is null or "state" = ?) order by "callback_id" desc limit ?`,
    params: ["tenant","before","state","state","limit"],
  },
  listCallbacksOfLead: {
    sql: `select * from "callbacks" where "tenant" = ? and "lead_id" = ? and "callback_id" || '' < ? and (? is null or "state" = ?) order by "callback_id" || '' desc limit ?`,
    params: ["tenant","lead_id","before","state","state","limit"],
  },
  countPendingCallbacks: {
    sql: `select count(*) as "count" from "callbacks" where "tenant" = ? and "state" = 'pending'`,
    params: ["tenant"],
  },
  dueCallbacks: {
    sql: `select "first".* from "callbacks" as "first" where "first"."tenant" = ? and "first"."state" = 'pending' and ("first"."held" = 'reorder' or not exists (select "older"."seq" from "callbacks" as "older" where "older"."state" = 'pending' and "older"."held" is distinct from 'reorder' and "older"."tenant" = "first"."tenant" and "older"."lead_id" = "first"."lead_id" and "older"."seq" < "first"."seq")) and "first"."due_at" <= ? and ("first"."leased_until" is null or "first"."leased_until" <= ?) order by "first"."due_at", "first"."seq" limit ?`,
    params: ["tenant","due_by","now","limit"],
  },
  leaseCallback: {
    sql: `update "callbacks" set "leased_until" = ? where "seq" = ?`,
    params: ["leased_until","seq"],
  },
  recordAttempt: {
    sql: `update "callbacks" set "url" = ?, "attempts" = ?, "state" = ?, "due_at" = ?, "held" = null, "leased_until" = null where "seq" = ?`,
    params: ["url","attempts","state","due_at","seq"],
  },
  postponeCallback: {
    sql: `update "callbacks" set "due_at" = ?, "held" = ?, "leased_until" = null where "tenant" = ? and "callback_id" = ? and "state" = 'pending'`,
    params: ["due_at","held","tenant","callback_id"],
  },
  releaseReordered: {
    sql: `update "callbacks" set "due_at" = ? where "tenant" = ? and "lead_id" = ? and "state" = 'pending' and "held" = 'reorder'`,
    params: ["due_at","tenant","lead_id"],
  },
  requeueCallback: {
    sql: `update "callbacks" set "state" = 'pending', "due_at" = ?, "resent_after" = ?, "held" = null, "leased_until" = null where "seq" = ?`,
    params: ["due_at","resent_after","seq"],
  },
  nextCallbackDue: {
    sql: `select "first"."due_at" from "callbacks" as "first" where "first"."tenant" = ? and "first"."state" = 'pending' and ("first"."held" = 'reorder' or not exists (select "older"."seq" from "callbacks" as "older" where "older"."state" = 'pending' and "older"."held" is distinct from 'reorder' and "older"."tenant" = "first"."tenant" and "older"."lead_id" = "first"."lead_id" and "older"."seq" < "first"."seq")) and "first"."due_at" is not null order by "first"."due_at" limit 1`,
    params: ["tenant"],
  },
  releaseLeases: {
    sql: `update "callbacks" set "leased_until" = null where "tenant" in (select "tenant" from "tenants") and "state" = 'pending' and "leased_until" is not null`,
    params: [],
  },
  addInboxEntry: {
    sql: `insert into "inbox" ("tenant", "entry") values (?, ?)`,
    params: ["tenant","entry"],
  },
  listInbox: {
    sql: `select "entry" from "inbox" where "tenant" = ? order by "seq"`,
    params: ["tenant"],
  },
  trimInbox: {
    sql: `delete from "inbox" where "tenant" = ? and "seq" <= (select "newer"."seq" from "inbox" as "newer" where "newer"."tenant" = ? order by "newer"."seq" desc limit 1 offset ?)`,
    params: ["tenant","tenant","keep"],
  },
  addRequests: {
    sql: `insert into "requests" ("tenant", "first", "last", "entries") values (?, ?, ?, ?)`,
    params: ["tenant","first","last","entries"],
  },
  readRequests: {
    sql: `select "entries" from "requests" where "tenant" = ? and "first" < ? order by "first" desc limit 1`,
    params: ["tenant","before"],
  },
  trimRequests: {
    sql: `delete from "requests" where "tenant" = ? and "first" < ? and "last" < ?`,
    params: ["tenant","below","below"],
  },
  addReport: {
    sql: `insert into "reports" ("tenant", "report_id", "lead_id", "advertiser_id", "event", "due_at") values (?, ?, ?, ?, ?, ?)`,
    params: ["tenant","report_id","lead_id","advertiser_id","event","due_at"],
  },
  listDueReports: {
    sql: `select "report_id", "lead_id", "advertiser_id", "event", "due_at" from "reports" where "tenant" = ? and "due_at" <= ? order by "due_at", "seq" limit ?`,
    params: ["tenant","due_by","limit"],
  },
  removeReport: {
    sql: `delete from "reports" where "tenant" = ? and "report_id" = ?`,
    params: ["tenant","report_id"],
  },
  nextReportDue: {
    sql: `select "due_at" from "reports" where "tenant" = ? order by "due_at" limit 1`,
    params: ["tenant"],
  },
  countReports: {
    sql: `select count(*) as "count" from "reports" where "tenant" = ?`,
    params: ["tenant"],
  },
  readChain: {
    sql: `select "plays" from "chains" where "tenant" = ? and "chain" = ?`,
    params: ["tenant","chain"],
  },
  setChain: {
    sql: `insert into "chains" ("tenant", "chain", "plays") values (?, ?, ?) on conflict ("tenant", "chain") do update set "plays" = "excluded"."plays"`,
    params: ["tenant","chain","plays"],
  },
  readDocuments: {
    sql: `select "name", "value" from "documents" where "tenant" = ?`,
    params: ["tenant"],
  },
  writeDocument: {
    sql: `insert into "documents" ("tenant", "name", "value") values (?, ?, ?) on conflict ("tenant", "name") do update set "value" = "excluded"."value"`,
    params: ["tenant","name","value"],
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
  findTenant: {
    sql: `select "record" from "tenants" where "tenant" = ?`,
    params: ["tenant"],
  },
  listTenants: {
    sql: `select "record" from "tenants" where "snapshot_of" is null order by "seq"`,
    params: [],
  },
  addSnapshot: {
    sql: `insert into "tenants" ("tenant", "record", "snapshot_of", "saved_at") select ? as "tenant", "record", "tenant" as "snapshot_of", ? as "saved_at" from "tenants" where "tenant" = ?`,
    params: ["snapshot","saved_at","tenant"],
  },
  listSnapshots: {
    sql: `select "tenant", "saved_at" from "tenants" where "snapshot_of" = ? order by "seq"`,
    params: ["tenant"],
  },
  newestLead: {
    sql: `select "lead_id" from "leads" where "tenant" = ? order by "lead_id" desc limit 1`,
    params: ["tenant"],
  },
  newestCallback: {
    sql: `select "callback_id" from "callbacks" where "tenant" = ? order by "callback_id" desc limit 1`,
    params: ["tenant"],
  },
  copy_customers: {
    sql: `insert into "customers" ("tenant", "product_id", "email", "lead_id", "refused_at")
      select ?, "product_id", "email", "lead_id", "refused_at" from "customers" where "tenant" = ? order by "product_id"`,
    params: ["to","from"],
  },
  clear_customers: {
    sql: `delete from "customers" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_leads: {
    sql: `insert into "leads" ("tenant", "lead_id", "product_id", "email", "status", "rejection_reason", "received_at", "submission", "trace", "deliveries")
      select ?, "lead_id", "product_id", "email", "status", "rejection_reason", "received_at", "submission", "trace", "deliveries" from "leads" where "tenant" = ? order by "lead_id"`,
    params: ["to","from"],
  },
  clear_leads: {
    sql: `delete from "leads" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_events: {
    sql: `insert into "events" ("tenant", "lead_id", "advertiser_id", "event", "recorded_at", "report")
      select ?, "lead_id", "advertiser_id", "event", "recorded_at", "report" from "events" where "tenant" = ? order by "seq"`,
    params: ["to","from"],
  },
  clear_events: {
    sql: `delete from "events" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_callbacks: {
    sql: `insert into "callbacks" ("tenant", "callback_id", "lead_id", "event", "url", "state", "due_at", "attempts", "held", "resent_after")
      select ?, "callback_id", "lead_id", "event", "url", "state", "due_at", "attempts", "held", "resent_after" from "callbacks" where "tenant" = ? order by "seq"`,
    params: ["to","from"],
  },
  clear_callbacks: {
    sql: `delete from "callbacks" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_inbox: {
    sql: `insert into "inbox" ("tenant", "entry")
      select ?, "entry" from "inbox" where "tenant" = ? order by "seq"`,
    params: ["to","from"],
  },
  clear_inbox: {
    sql: `delete from "inbox" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_requests: {
    sql: `insert into "requests" ("tenant", "first", "last", "entries")
      select ?, "first", "last", "entries" from "requests" where "tenant" = ? order by "first"`,
    params: ["to","from"],
  },
  clear_requests: {
    sql: `delete from "requests" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_reports: {
    sql: `insert into "reports" ("tenant", "report_id", "lead_id", "advertiser_id", "event", "due_at")
      select ?, "report_id", "lead_id", "advertiser_id", "event", "due_at" from "reports" where "tenant" = ? order by "seq"`,
    params: ["to","from"],
  },
  clear_reports: {
    sql: `delete from "reports" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_chains: {
    sql: `insert into "chains" ("tenant", "chain", "plays")
      select ?, "chain", "plays" from "chains" where "tenant" = ? order by "chain"`,
    params: ["to","from"],
  },
  clear_chains: {
    sql: `delete from "chains" where "tenant" = ?`,
    params: ["tenant"],
  },
  copy_documents: {
    sql: `insert into "documents" ("tenant", "name", "value")
      select ?, "name", "value" from "documents" where "tenant" = ? order by "name"`,
    params: ["to","from"],
  },
  clear_documents: {
    sql: `delete from "documents" where "tenant" = ?`,
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
  {
    name: '0002-sandbox-tables',
    statements: [
      `alter table "tenants" add column "snapshot_of" text references "tenants" ("tenant") on delete cascade`,
      `alter table "tenants" add column "saved_at" bigint`,
      `create index "tenants_by_snapshot_of" on "tenants" ("snapshot_of")`,
      `alter table "callbacks" add column "held" text`,
      `alter table "callbacks" add column "resent_after" integer`,
      `create table "requests" ("tenant" text not null references "tenants" ("tenant") on delete cascade, "first" bigint not null, "last" bigint not null, "entries" text not null, constraint "requests_by_number" primary key ("tenant", "first"))`,
      `create table "reports" ("seq" integer primary key, "tenant" text not null references "tenants" ("tenant") on delete cascade, "report_id" text not null, "lead_id" text not null, "advertiser_id" text not null, "event" text not null, "due_at" bigint not null, constraint "reports_by_id" unique ("tenant", "report_id"))`,
      `create index "reports_due" on "reports" ("tenant", "due_at", "seq")`,
      `create table "chains" ("tenant" text not null references "tenants" ("tenant") on delete cascade, "chain" text not null, "plays" integer not null, constraint "chains_by_key" primary key ("tenant", "chain")) without rowid`,
      `create table "documents" ("tenant" text not null references "tenants" ("tenant") on delete cascade, "name" text not null, "value" text not null, constraint "documents_by_name" primary key ("tenant", "name")) without rowid`,
    ],
  },
]
