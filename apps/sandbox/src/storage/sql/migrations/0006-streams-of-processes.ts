import type { Migration } from './migration.ts'

/**
 * What processes that share a database stream of each other: which streams a process reads, as JSON, and the events of a
 * transaction, `version`. Both are of no use after a crash, which ends all streams.
 */
export const streamsOfProcesses: Migration = ({ processes, seq }) =>
  processes === 'one'
    ? ''
    : `
  create unlogged table stream_readers (process integer primary key, streams text not null);

  create unlogged table stream_events (
    ${seq},
    process integer not null,
    events text not null,
    version xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp()
  );
  create index stream_events_by_version on stream_events (version);
  create index stream_events_by_time on stream_events (at);
`
