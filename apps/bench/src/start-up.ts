import { setTimeout as sleep } from 'node:timers/promises'
import { inTurns, median } from './load.ts'
import { servers } from './servers.ts'

const rounds = 5

/** The time after the ready line at which a server counts as idle, milliseconds. */
const idleAfterMs = 1_000

const mebibyte = 1_048_576

/**
 * Measures the time and the CPU time from spawning the process to its ready line, then its memory. Other programs
 * affect the CPU time less.
 */
export async function measureStartUp(): Promise<void> {
  const { express, sandbox } = servers
  const starts = await inTurns({ express, sandbox }, { rounds, warmUp: 0 }, async start => {
    await using target = await start()
    const cpuMs = target.cpuSeconds() * 1_000
    await sleep(idleAfterMs)
    return { ms: target.startMs, cpuMs, memory: target.memory() / mebibyte }
  })
  console.log(`\nStart-up to ready, medians of ${rounds}`)
  for (const [name, measured] of starts) {
    const of = (value: (start: (typeof measured)[number]) => number) => median(measured.map(value)).toFixed(0)
    const [ms, cpuMs, memory] = [of(start => start.ms), of(start => start.cpuMs), of(start => start.memory)]
    console.log(`  ${name.padEnd(8)} ${ms} ms   ${cpuMs} ms of CPU time   ${memory} MiB idle`)
  }
}
