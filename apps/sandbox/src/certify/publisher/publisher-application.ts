/** How a publisher's application is reached. What is not given is not seen. */
export interface PublisherApplication {
  /** Where it takes callbacks. */
  readonly callbackUrl?: string | undefined
  /** Submits one customer's application, and prints what the customer gets. */
  readonly submitCommand?: string | undefined
  /** Prints the events that it counts for a lead. */
  readonly eventsCommand?: string | undefined
  /** Whether the sandbox signs its callbacks (open point 14). */
  readonly signed: boolean
  /** How long a command may take, milliseconds. */
  readonly commandTimeoutMs: number
  /** Hosts besides this machine that callbacks may go to. */
  readonly allowedHosts: readonly string[]
}

/** What to give so that a check sees what it looks at. */
export const give = {
  submitCommand:
    'Give --submit-command: it submits an application of the customer $LEAD_EMAIL, and prints what the customer gets.',
  eventsCommand: 'Give --events-command: it prints the events that the application counts for the lead $LEAD_ID.',
  callbackUrl: 'Give --callback-url: where the application takes callbacks.',
} as const
