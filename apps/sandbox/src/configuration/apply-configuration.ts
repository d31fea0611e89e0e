import { isDeepStrictEqual } from 'node:util'
import { dateTimeMs, type ErrorResponse, type FieldIssue } from '@lead-distribution/contract'
import { checkInput, fieldIssues } from '@lead-distribution/contract/shapes'
import { controlOperations, controlPath, type Sandbox } from '@lead-distribution/simulator'
import { RefusedStart } from '../open-sandbox.ts'
import { type Configuration, configurationShape } from './configuration.ts'

/** A rejected configuration: the problem, and the path of the field. */
export class RefusedConfiguration extends RefusedStart {
  /** For example `tenants.0.callback_url`. */
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super(issues.map(({ field, issue }) => `${field} ${issue}`).join('\n'))
    this.issues = issues
  }
}

type ConfiguredTenant = Configuration['tenants'][number]

/** Validates the shape of a configuration. @throws RefusedConfiguration */
export function checkConfiguration(input: unknown): Configuration {
  const { issues } = checkInput(configurationShape, input)
  if (issues) throw new RefusedConfiguration(fieldIssues(issues, input))
  const configuration = input as Configuration
  const names = configuration.tenants.map(({ name }) => name)
  const repeated = names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ field: `tenants.${index}.name`, issue: 'is the name of a tenant above' }],
  )
  if (repeated.length > 0) throw new RefusedConfiguration(repeated)
  return configuration
}

/**
 * Creates the configured tenants that are missing and updates the others, through the control plane, which decides what
 * is allowed. Idempotent.
 * @throws RefusedConfiguration the control plane refuses something.
 */
export async function applyConfiguration(
  sandbox: Sandbox,
  { tenants }: Configuration,
  adminToken: string | undefined,
): Promise<void> {
  // Processes that start concurrently apply it one after the other, so that each finds the tenants that exist.
  await sandbox.configure(async () => {
    for (const [index, tenant] of tenants.entries()) {
      const call = callerOf(sandbox, adminToken, `tenants.${index}`)
      await applyTenant(tenant, call, sandbox.account(tenant.name) !== undefined)
    }
  })
}

/** Calls the control plane; `place` is the path of the data in the configuration. */
type Call = <Reply>(method: string, path: string, body?: object, place?: string) => Promise<Reply>

async function applyTenant(tenant: ConfiguredTenant, call: Call, exists: boolean): Promise<void> {
  const { products, blacklist, faults, clock, ...creation } = tenant
  const { name, profile, settings, callback_url, publisher, advertisers } = creation
  const path = `/tenants/${name}`
  if (!exists) await call('POST', '/tenants', creation)
  await call('PATCH', path, {
    callback_url,
    publisher,
    products,
    advertisers,
    blacklist,
    settings: { ...(profile && { profile }), ...settings },
  })
  if (faults) await applyFaults(faults, `${path}/faults`, call)
  if (clock && !(await isPast(clock.set, path, call))) await call('POST', `${path}/clock`, clock, 'clock')
}

/** Existing faults stay, along with their counts. */
async function applyFaults(faults: readonly object[], path: string, call: Call): Promise<void> {
  const { faults: present } = await call<{ faults: object[] }>('GET', path)
  // The sandbox adds other fields, such as the counts.
  const { shape } = controlOperations.addFault.input
  const declared = present.map(fault => Object.fromEntries(Object.entries(fault).filter(([name]) => name in shape)))
  if (isDeepStrictEqual(declared, faults)) return
  await call('DELETE', path)
  for (const [index, fault] of faults.entries()) await call('POST', path, fault, `faults.${index}`)
}

/**
 * Returns true if a clock is past the configured time: clocks only move forward, and this one has run since the last
 * start.
 */
async function isPast(time: string | undefined, path: string, call: Call): Promise<boolean> {
  if (time === undefined) return false
  const { now } = await call<{ now: string }>('GET', `${path}/clock`)
  return dateTimeMs(now) >= dateTimeMs(time)
}

function callerOf({ handle }: Pick<Sandbox, 'handle'>, adminToken: string | undefined, tenant: string): Call {
  return async (method, path, body, place) => {
    const response = await handle({
      method,
      target: `${controlPath}${path}`,
      headers: {
        'content-type': 'application/json',
        ...(adminToken && { authorization: `Bearer ${adminToken}` }),
      },
      body: new TextEncoder().encode(JSON.stringify(body)),
    })
    const reply = JSON.parse(response.body)
    if (response.status < 400) return reply
    const { message, details } = reply as ErrorResponse
    const at = place === undefined ? tenant : `${tenant}.${place}`
    throw new RefusedConfiguration(
      details?.map(({ field, issue }) => ({ field: `${at}.${field}`, issue })) ?? [{ field: at, issue: message }],
    )
  }
}
