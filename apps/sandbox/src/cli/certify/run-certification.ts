import { readFileSync } from 'node:fs'
import { type CertifySandbox, openCertifySandbox } from '../../certify/certify-sandbox.ts'
import { type Check, type ProfileName, runChecks } from '../../certify/check.ts'
import {
  type Certification,
  certificationJunit,
  certificationMarkdown,
  checklist,
  createCertification,
} from '../../certify/report.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { withProgress, writeReport } from '../printing/printing.ts'
import { asWrongUsage } from '../start.ts'
import type { CertifyFlags } from './certify-flags.ts'

/** One side's part of a certification. */
export interface Side<Context> {
  readonly certify: Certification['certify']
  readonly checks: readonly Check<Context>[]
  /** What the application is started with, by the names of its variables. */
  readonly environment: (sandbox: CertifySandbox) => Readonly<Record<string, string>>
  /** Begins a round, and makes the context of its checks. */
  readonly enter: (sandbox: CertifySandbox, profile: ProfileName) => Promise<Context>
}

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

/** Runs a certification by its flags: opens the sandbox, runs the checks, prints and writes the report. */
export async function runCertification<Context>(flags: CertifyFlags, side: Side<Context>): Promise<void> {
  for (const signal of signals) process.on(signal, endAtOnce)
  const sandbox = await openCertifySandbox({ ...flags, allowedCallbackHosts: flags.allowCallbackHost }).catch(
    asWrongUsage,
  )
  try {
    if (flags.env) return console.log(environmentText(side.environment(sandbox)))
    const certification = await runSide(flags, side, sandbox)
    await writeReport(flags.junit, () => certificationJunit(certification))
    await writeReport(flags.markdown, () => certificationMarkdown(certification))
    console.log(flags.json ? JSON.stringify(certification) : checklist(certification))
    judge(certification, flags.requireAll === true)
  } finally {
    for (const signal of signals) process.off(signal, endAtOnce)
    await sandbox.close()
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Exits instead of ending by the signal, so that a command under way is ended too. */
function endAtOnce(): never {
  process.exit(exitCodes.failed)
}

async function runSide<Context>(
  flags: CertifyFlags,
  { certify, checks, enter }: Side<Context>,
  sandbox: CertifySandbox,
): Promise<Certification> {
  const { only, application } = flags
  const profiles: ProfileName[] = flags.profile ? [flags.profile] : ['prose', 'formal']
  const at = new Date().toISOString()
  const results = await withProgress(`Running the checks of certify ${certify}…`, () =>
    runChecks({ checks, profiles, only, enter: profile => enter(sandbox, profile) }),
  )
  const named = application === undefined ? {} : { application }
  return createCertification({ certify, ...named, sandbox: version, at, profiles }, results)
}

function judge({ failed, not_seen }: Certification, requireAll: boolean): void {
  if (failed > 0) throw new CommandError(`The application is not ready to go live: ${failed} of its checks failed.`)
  if (requireAll && not_seen > 0)
    throw new CommandError(
      `Not all was seen: ${not_seen} checks had nothing to look at. The report lists what to give.`,
    )
}

function environmentText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}
