import { DatabaseSync } from 'node:sqlite'
import type { CallAttempt, LeadSubmission, SubmitResult } from '@lead-distribution/publisher-sdk'
import type { CallbackEvent } from '@lead-distribution/publisher-sdk/callbacks'

/**
 * The state of an application: an outcome of the SDK, or one of this site. `sending`: in flight. `waiting`: the service
 * does not have it, and the site sends it again later. `unknown`: the reply was lost, so the service may have it.
 */
export type ApplicationState = SubmitResult['outcome'] | 'sending' | 'waiting' | 'unknown'

/** A customer's application. Its id is that of its form. */
export interface Application {
  id: string
  at: string
  state: ApplicationState
  lead: LeadSubmission
  lead_id: string | null
  redirect_url: string | null
  /** The attempt whose reply was lost; the next submission passes it as `previousAttempt`. */
  attempt: CallAttempt | null
  /** The callbacks for its lead, oldest first. */
  events: string[]
}

export type Settlement = { state: ApplicationState } & Partial<
  Pick<Application, 'lead_id' | 'redirect_url' | 'attempt'>
>

/** A callback for a lead that belongs to no known application. */
export interface ParkedEvent {
  lead_id: string
  event: string
}

/** Stores the applications of the site in a SQLite file, so that none is lost when the process ends. */
export function openApplications(file: string) {
  const database = new DatabaseSync(file)
  database.exec(tables)
  const sql = prepare(database)
  const eventsOf = (lead_id: string) => sql.selectEvents.all(lead_id).map(({ event }) => String(event))
  const toApplication = (row: unknown) => applicationOf(row, eventsOf)

  return {
    /** Stores an application before it is sent. Returns false if it is stored already: a double click, a reload. */
    begin(id: string, lead: LeadSubmission): boolean {
      return sql.insert.run(id, new Date().toISOString(), JSON.stringify(lead)).changes === 1
    },
    /** Claims a waiting or unknown application in order to send it again. Returns false if there is none. */
    resume(id: string): boolean {
      return sql.resume.run(id).changes === 1
    },
    settle(id: string, { state, lead_id = null, redirect_url = null, attempt = null }: Settlement): void {
      sql.update.run(state, lead_id?.toLowerCase() ?? null, redirect_url, attempt && JSON.stringify(attempt), id)
    },
    /** Deletes an application that the customer must correct first, but never one that the service may have. */
    forget(id: string): void {
      sql.remove.run(id)
    },
    find(id: string): Application | undefined {
      const row = sql.select.get(id)
      return row && toApplication(row)
    },
    list(): Application[] {
      return sql.selectAll.all().map(toApplication)
    },
    hasLead(lead_id: string): boolean {
      return sql.selectLead.get(lead_id) !== undefined
    },
    /**
     * Stores the event of a callback, once. It may arrive before the lead's id is known here. Events are looked up by that
     * id, so nothing needs to be done when it becomes known.
     */
    keepEvent({ lead_id, event, rawEvent }: CallbackEvent): void {
      sql.insertEvent.run(lead_id, event === 'unrecognized' ? rawEvent : event)
    },
    /** Assigns a lead to the unknown application that it turned out to belong to. Its customer is not redirected. */
    adopt(id: string, lead_id: string): void {
      if (this.find(id)?.state === 'unknown') this.settle(id, { state: 'new', lead_id })
    },
    /** Returns the events of a lead, known or not, oldest first. */
    eventsOf,
    parked(): ParkedEvent[] {
      return sql.selectParked.all() as unknown as ParkedEvent[]
    },
    close(): void {
      database.close()
    },
  }
}

const tables = `
  pragma journal_mode = wal;
  create table if not exists applications (
    id text primary key, at text not null, state text not null, lead text not null,
    lead_id text, redirect_url text, attempt text
  );
  create table if not exists events (lead_id text, event text, primary key (lead_id, event));
  -- What was on its way when the process ended: the service may have it or not.
  update applications set state = 'unknown',
    attempt = coalesce(attempt, json_object('callId', id, 'at', at)) where state = 'sending';
`

function prepare(database: DatabaseSync) {
  return {
    insert: database.prepare(
      "insert into applications (id, at, state, lead) values (?, ?, 'sending', ?) on conflict do nothing",
    ),
    update: database.prepare(
      'update applications set state = ?, lead_id = ?, redirect_url = ?, attempt = ? where id = ?',
    ),
    resume: database.prepare(
      "update applications set state = 'sending' where id = ? and state in ('waiting', 'unknown')",
    ),
    remove: database.prepare("delete from applications where id = ? and state = 'waiting'"),
    select: database.prepare('select * from applications where id = ?'),
    selectAll: database.prepare('select * from applications order by at desc'),
    selectLead: database.prepare('select 1 from applications where lead_id = ?'),
    insertEvent: database.prepare('insert into events values (?, ?) on conflict do nothing'),
    selectEvents: database.prepare('select event from events where lead_id = ? order by rowid'),
    selectParked: database.prepare(
      'select * from events where lead_id not in (select lead_id from applications where lead_id is not null)',
    ),
  }
}

function applicationOf(row: unknown, eventsOf: (lead_id: string) => string[]): Application {
  const kept = row as Omit<Application, 'lead' | 'attempt' | 'events'> & { lead: string; attempt: string | null }
  const events = kept.lead_id === null ? [] : eventsOf(kept.lead_id)
  return {
    ...kept,
    lead: JSON.parse(kept.lead),
    attempt: kept.attempt === null ? null : JSON.parse(kept.attempt),
    events,
  }
}

export type Applications = ReturnType<typeof openApplications>
