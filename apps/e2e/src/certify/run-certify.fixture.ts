import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { root } from '../architecture/sources.ts'

type Side = 'publisher' | 'advertiser'

/** The result of a certification, as `--json` prints it. */
export interface Report {
  readonly passed: number
  readonly failed: number
  readonly not_seen: number
  readonly checks: readonly {
    readonly id: string
    readonly profile: string
    readonly verdict: 'passed' | 'failed' | 'not_seen'
    readonly seen: string
  }[]
}

/** A finished certification. */
export interface Certified {
  readonly code: number
  readonly report: Report
  /** The checks that did not pass, each as `profile id: seen`. */
  readonly wrong: readonly string[]
  readonly stdout: string
  /** Other output, such as the Markdown report. */
  readonly written: string
}

/** Runs `lead-sandbox certify … --json` to its end. */
export async function runCertify(side: Side, ...args: string[]): Promise<Certified> {
  const child = spawn(process.execPath, ['apps/sandbox/src/main.ts', 'certify', side, '--json', ...args], { cwd: root })
  child.stdin.end()
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  if (!stdout.startsWith('{')) throw new Error(`No report: ${stdout}${stderr}`)
  const report: Report = JSON.parse(stdout)
  const wrong = report.checks
    .filter(({ verdict }) => verdict !== 'passed')
    .map(({ id, profile, seen }) => `${profile} ${id}: ${seen}`)
  return { code, report, wrong, stdout, written: '' }
}

/**
 * Runs a side's checks in two parallel certifications, each with its own application and sandbox: the checks that
 * mostly wait, and the others. Merges the results.
 */
export async function certifyInParts(
  side: Side,
  waits: RegExp,
  certify: (...only: string[]) => Promise<Certified>,
): Promise<Certified> {
  const ids = Object.groupBy(await checkIds(side), id => (waits.test(id) ? 'waiting' : 'others'))
  const parts = await Promise.all(
    Object.values(ids).map(part => certify(...(part ?? []).flatMap(id => ['--only', id]))),
  )
  const sum = (count: (report: Report) => number) => parts.reduce((total, { report }) => total + count(report), 0)
  return {
    code: Math.max(...parts.map(({ code }) => code)),
    report: {
      passed: sum(({ passed }) => passed),
      failed: sum(({ failed }) => failed),
      not_seen: sum(report => report.not_seen),
      checks: parts.flatMap(({ report }) => report.checks),
    },
    wrong: parts.flatMap(({ wrong }) => wrong),
    stdout: parts.map(({ stdout }) => stdout).join('\n'),
    written: parts.map(({ written }) => written).join('\n'),
  }
}

/** Returns the ids of the failed checks in alphabetical order. */
export function failedIds({ report }: Certified): string[] {
  return [...new Set(report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id))].sort()
}

/** Returns the ids of the checks, from the command's error message for an unknown id. */
async function checkIds(side: Side): Promise<string[]> {
  const args = ['apps/sandbox/src/main.ts', 'certify', side, '--only', 'none']
  const message = await new Promise<string>(resolve => {
    execFile(process.execPath, args, { cwd: root }, (_error, _stdout, stderr) => resolve(stderr))
  })
  const ids = /Pass one of ([\w., -]+?)\.\s/.exec(message)?.[1]?.split(', ')
  if (!ids) throw new Error(`The error message lists no ids: ${message}`)
  return ids
}
