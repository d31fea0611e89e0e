/** How a tenant's own inbox answers. */
export interface InboxMode {
  /** HTTP status of its replies. */
  status: number
  /** How many more callbacks get it, before 200 is the reply again; undefined for all. */
  times?: number | undefined
}

/** An inbox that takes everything. */
export const takingInbox: InboxMode = { status: 200 }
