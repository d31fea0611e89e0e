import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { root } from '../architecture/root.ts'

/** What a certification came to, as `--json` prints it. */
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

/** Runs `lead-sandbox certify … --json` to its end. */
export async function runCertify(side: 'publisher' | 'advertiser', ...args: string[]) {
  const child = spawn(process.execPath, ['apps/sandbox/src/main.ts', 'certify', side, '--json', ...args], { cwd: root })
  child.stdin.end()
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  if (!stdout.startsWith('{')) throw new Error(`There is no report: ${stdout}${stderr}`)
  const report: Report = JSON.parse(stdout)
  /** The checks that did not pass, with what was seen, each as `profile id: seen`. */
  const amiss = report.checks
    .filter(({ verdict }) => verdict !== 'passed')
    .map(({ id, profile, seen }) => `${profile} ${id}: ${seen}`)
  return { code, report, amiss, stdout, stderr }
}
