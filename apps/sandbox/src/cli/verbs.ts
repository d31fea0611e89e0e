import type { Command } from 'commander'

/** Gives a command its arguments, flags, subcommands, examples and action. */
export type Describe = (command: Command) => void

/** A verb of the command line, before its module is loaded. */
export interface Verb {
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** Its heading in the help. */
  readonly group: string
  /** Loads the rest: `start` loads no tables, the others no server. */
  readonly load: () => Promise<Describe>
}

const first = 'First of all:'
const send = 'Send leads, and report on them:'
const see = 'See what happened, and why:'
const controlGroup = 'Control time, faults and settings:'
const apart = 'Isolate tests:'
const check = 'Check an integration:'

/** Every verb, in the order in which a newcomer needs them. */
export const verbs: readonly Verb[] = [
  {
    name: 'start',
    summary: 'Run a sandbox server until it is stopped.',
    group: first,
    load: async () => (await import('./start.ts')).describeStart,
  },
  {
    name: 'submit',
    summary: 'Submit a lead, as the publisher.',
    group: send,
    load: async () => (await import('./leads/submit.ts')).describeSubmit,
  },
  {
    name: 'trigger',
    summary: 'Report an event of a lead, as its advertiser.',
    group: send,
    load: async () => (await import('./leads/trigger.ts')).describeTrigger,
  },
  {
    name: 'leads',
    summary: 'List leads, show one, or explain its decision.',
    group: see,
    load: async () => (await import('./leads/leads.ts')).describeLeads,
  },
  {
    name: 'callbacks',
    summary: 'Follow the callbacks to the publisher, wait for one, resend them.',
    group: see,
    load: async () => (await import('./callbacks/callbacks.ts')).describeCallbacks,
  },
  {
    name: 'inbox',
    summary: 'Read what the built-in receiver of callbacks received, or make it fail.',
    group: see,
    load: async () => (await import('./callbacks/inbox.ts')).describeInbox,
  },
  {
    name: 'logs',
    summary: 'Follow the calls of the service, with each decision.',
    group: see,
    load: async () => (await import('./logs.ts')).describeLogs,
  },
  {
    name: 'clock',
    summary: "Freeze a tenant's clock, set it, advance it, resume it.",
    group: controlGroup,
    load: async () => (await import('./clock.ts')).describeClock,
  },
  {
    name: 'faults',
    summary: 'Make calls of the service or callbacks fail.',
    group: controlGroup,
    load: async () => (await import('./faults.ts')).describeFaults,
  },
  {
    name: 'settings',
    summary: 'Show or change how a tenant interprets the open points of the specification.',
    group: controlGroup,
    load: async () => (await import('./tenants/settings.ts')).describeSettings,
  },
  {
    name: 'tenants',
    summary: 'Create, list, show and delete tenants: isolated accounts.',
    group: apart,
    load: async () => (await import('./tenants/tenants.ts')).describeTenants,
  },
  {
    name: 'snapshot',
    summary: 'Save a whole tenant under a name, and restore it.',
    group: apart,
    load: async () => (await import('./tenants/snapshot.ts')).describeSnapshot,
  },
  {
    name: 'reset',
    summary: 'Reset a tenant to its creation: same ids, keys and settings, nothing else.',
    group: apart,
    load: async () => (await import('./tenants/tenants.ts')).describeReset,
  },
  {
    name: 'coverage',
    summary: 'Show which outcomes, reasons, errors and events were seen, and how to see the others.',
    group: check,
    load: async () => (await import('./coverage.ts')).describeCoverage,
  },
  {
    name: 'doctor',
    summary: 'Diagnose a postback URL, check by check.',
    group: check,
    load: async () => (await import('./doctor.ts')).describeDoctor,
  },
  {
    name: 'certify',
    summary:
      "Test before going live that a publisher's or an advertiser's application survives what breaks integrations.",
    group: check,
    load: async () => (await import('./certify/certify.ts')).describeCertify,
  },
]
