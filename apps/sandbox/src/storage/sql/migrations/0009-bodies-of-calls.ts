import type { Migration } from './migration.ts'

/** The bodies of each call, as JSON; null where none are kept, or no longer. */
export const bodiesOfCalls: Migration = ({ text }) => `
  alter table requests add column bodies ${text};
  create index requests_with_bodies on requests (tenant, "first") where bodies is not null;
`
