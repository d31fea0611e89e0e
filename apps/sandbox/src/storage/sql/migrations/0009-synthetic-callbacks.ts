import type { Migration } from './migration.ts'

/** Marks callbacks that no event caused: how each differs from the one that it copies, as JSON. */
export const syntheticCallbacks: Migration = ({ text }) => `
  alter table callbacks add column synthetic ${text};
`
