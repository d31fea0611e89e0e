import { DatabaseSync } from 'node:sqlite'
import type { PixelEvent } from '@lead-distribution/advertiser-sdk'

export type LoanState = 'received' | 'registered' | 'issued' | 'rejected' | 'repaid' | 'defaulted'

/** A step of a loan: the states in which it is possible, and the state that it leads to. */
interface LoanStep {
  after: readonly LoanState[]
  to: LoanState
  button: string
}

/** The steps of a loan by the event that reports them (Spec 6.1). */
export const loanSteps: Readonly<Record<PixelEvent, LoanStep>> = {
  registration: { after: ['received'], to: 'registered', button: 'Register' },
  approved: { after: ['received', 'registered'], to: 'issued', button: 'Issue loan' },
  rejected: { after: ['received', 'registered'], to: 'rejected', button: 'Reject' },
  completed: { after: ['issued'], to: 'repaid', button: 'Repaid' },
  defaulted: { after: ['issued'], to: 'defaulted', button: 'Default' },
}

export function isLoanEvent(text: string): text is PixelEvent {
  return Object.hasOwn(loanSteps, text)
}

export interface DeliveredLead {
  lead_id: string
  /** Includes the token, which is as good as a key for the lead. It is stored in the file and nowhere else. */
  postback_url: string
  /** Euros, if the delivery includes it. */
  amount: number | null
  term_months: number | null
}

/** A loan, and which of its steps were reported to the service. */
export interface Loan extends Omit<DeliveredLead, 'postback_url'> {
  ref: string
  state: LoanState
  reports: { event: PixelEvent; outcome: string | null; error: string | null }[]
}

/** A report that the service has not confirmed yet. */
export interface PendingReport extends DeliveredLead {
  id: number
  ref: string
  event: PixelEvent
  /** Error code of the last attempt; null if there was none. */
  error: string | null
}

/** The result of a step. `repeated`: it was taken before and is not reported again. */
export type StepResult = 'taken' | 'repeated' | 'refused' | 'no such lead'

export function openLoanStore(file: string) {
  const database = new DatabaseSync(file)
  database.exec(tables)
  const sql = prepare(database)
  const loanOf = (row: unknown): Loan => {
    const { lead_id, ref, state, amount, term_months } = row as Loan
    return { lead_id, ref, state, amount, term_months, reports: sql.selectReports.all(lead_id) as never }
  }
  const find = (lead_id: string): Loan | undefined => {
    const row = sql.select.get(lead_id)
    return row && loanOf(row)
  }

  return {
    find,
    list(): Loan[] {
      return sql.selectAll.all().map(loanOf)
    },
    /** Stores a lead; a second delivery changes nothing. */
    keep({ lead_id, postback_url, amount, term_months }: DeliveredLead): void {
      sql.insert.run(lead_id, postback_url, amount, term_months)
    },
    /** Takes a step of a loan and puts its report into the outbox, both in one transaction. */
    take(lead_id: string, event: PixelEvent): StepResult {
      const { after, to } = loanSteps[event]
      database.exec('begin immediate')
      try {
        const result = stepOf(find(lead_id), event, after)
        if (result === 'taken') {
          sql.setState.run(to, lead_id)
          sql.queue.run(lead_id, event)
        }
        database.exec('commit')
        return result
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    /** Returns the pending reports, oldest first. */
    pending(): PendingReport[] {
      return sql.selectPending.all() as unknown as PendingReport[]
    },
    /** Removes a report that the service has. */
    reported(id: number, outcome: string): void {
      sql.setOutcome.run(outcome, id)
    },
    /** Records that a report failed; it stays in the outbox. */
    failed(id: number, error: string): void {
      sql.setError.run(error, id)
    },
    close(): void {
      database.close()
    },
  }
}

const tables = `
  pragma journal_mode = wal;
  create table if not exists loans (
    number integer primary key, lead_id text unique not null, state text not null, postback_url text not null,
    amount real, term_months integer
  );
  create table if not exists outbox (
    id integer primary key, lead_id text not null, event text not null, outcome text, error text,
    unique (lead_id, event)
  );
`

const loan = "select *, 'loan-' || number as ref from loans"

function prepare(database: DatabaseSync) {
  return {
    insert: database.prepare(
      "insert into loans (lead_id, state, postback_url, amount, term_months) values (?, 'received', ?, ?, ?) on conflict do nothing",
    ),
    select: database.prepare(`${loan} where lead_id = ?`),
    selectAll: database.prepare(`${loan} order by number desc`),
    setState: database.prepare('update loans set state = ? where lead_id = ?'),
    queue: database.prepare('insert into outbox (lead_id, event) values (?, ?)'),
    selectReports: database.prepare('select event, outcome, error from outbox where lead_id = ? order by id'),
    selectPending: database.prepare(
      `select outbox.id, outbox.event, outbox.error, loan.* from outbox join (${loan}) loan using (lead_id) where outcome is null order by id`,
    ),
    setOutcome: database.prepare('update outbox set outcome = ?, error = null where id = ?'),
    setError: database.prepare('update outbox set error = ? where id = ?'),
  }
}

export type LoanStore = ReturnType<typeof openLoanStore>

function stepOf(loan: Loan | undefined, event: PixelEvent, after: readonly LoanState[]): StepResult {
  if (!loan) return 'no such lead'
  if (loan.reports.some(report => report.event === event)) return 'repeated'
  return after.includes(loan.state) ? 'taken' : 'refused'
}
