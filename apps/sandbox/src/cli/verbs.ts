import type { Command } from 'commander'

/** Gives a command its arguments, flags, subcommands, examples and action. */
export type Describe = (command: Command) => void

/** A verb of the command line, before anything of it is loaded. */
export interface Verb {
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** The heading that it stands below in the help. */
  readonly group: string
  /** Loads the rest. Each verb loads its own alone: `start` no tables, the others no server. */
  readonly load: () => Promise<Describe>
}

const first = 'First of all:'
const send = 'Send leads, and report on them:'
const see = 'See what happened, and why:'
const steer = 'Have time, faults and rules in hand:'
const apart = 'Keep tests apart:'
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
    summary: 'List leads, show one, or have its decision explained.',
    group: see,
    load: async () => (await import('./leads/leads.ts')).describeLeads,
  },
  {
    name: 'callbacks',
    summary: 'Follow the callbacks to the publisher, wait for one, send them anew.',
    group: see,
    load: async () => (await import('./callbacks/callbacks.ts')).describeCallbacks,
  },
  {
    name: 'inbox',
    summary: 'Read what the built-in receiver of callbacks got, or make it fail.',
    group: see,
    load: async () => (await import('./callbacks/inbox.ts')).describeInbox,
  },
  {
    name: 'logs',
    summary: 'Follow the calls of the service, with what was decided.',
    group: see,
    load: async () => (await import('./logs.ts')).describeLogs,
  },
  {
    name: 'clock',
    summary: "Freeze a tenant's clock, set it, advance it, let it run on.",
    group: steer,
    load: async () => (await import('./clock.ts')).describeClock,
  },
  {
    name: 'faults',
    summary: 'Make calls of the service or callbacks fail.',
    group: steer,
    load: async () => (await import('./faults/faults.ts')).describeFaults,
  },
  {
    name: 'settings',
    summary: 'Show or change how a tenant reads what the specification leaves open.',
    group: steer,
    load: async () => (await import('./tenants/settings.ts')).describeSettings,
  },
  {
    name: 'tenants',
    summary: 'Make, list, show and delete tenants: accounts that do not see each other.',
    group: apart,
    load: async () => (await import('./tenants/tenants.ts')).describeTenants,
  },
  {
    name: 'snapshot',
    summary: 'Keep a whole tenant under a name, and put it back.',
    group: apart,
    load: async () => (await import('./tenants/snapshot.ts')).describeSnapshot,
  },
  {
    name: 'reset',
    summary: 'Make a tenant as it was made: same ids, keys and settings, nothing else.',
    group: apart,
    load: async () => (await import('./tenants/reset.ts')).describeReset,
  },
  {
    name: 'coverage',
    summary: 'Tell which outcomes, reasons, errors and events were seen, and how to see the others.',
    group: check,
    load: async () => (await import('./coverage.ts')).describeCoverage,
  },
  {
    name: 'doctor',
    summary: 'Tell what is wrong with a postback URL, check by check.',
    group: check,
    load: async () => (await import('./doctor.ts')).describeDoctor,
  },
  {
    name: 'certify',
    summary:
      "Prove before going live that a publisher's or an advertiser's application survives what breaks integrations.",
    group: check,
    load: async () => (await import('./certify/certify.ts')).describeCertify,
  },
]
