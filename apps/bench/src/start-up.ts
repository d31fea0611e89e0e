import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './load.ts'
import { servers } from './servers.ts'

const rounds = 5

/** The time after the ready line at which a server counts as idle, milliseconds. */
const idleAfterMs = 1_000

const mebibyte = 1_048_576

/** From spawning the process to its ready line: time, and processor time, to which other programs add less. Then its memory. */
export async function measureStartUp(): Promise<void> {
  const names = ['express', 'sandbox'] as const
  const starts = { express: [] as Start[], sandbox: [] as Start[] }
  for (let round = 0; round < rounds; round++) for (const name of names) starts[name].push(await startOnce(name))
  console.log(`\nStart-up to ready, medians of ${rounds}`)
  for (const name of names) {
    const of = (value: (start: Start) => number) => median(starts[name].map(value)).toFixed(0)
    console.log(
      `  ${name.padEnd(8)} ${of(({ ms }) => ms)} ms   ${of(({ cpuMs }) => cpuMs)} ms of processor time   ${of(({ memory }) => memory / mebibyte)} MiB idle`,
    )
  }
}

interface Start {
  readonly ms: number
  readonly cpuMs: number
  /** Of the idle server, bytes. */
  readonly memory: number
}

async function startOnce(name: 'express' | 'sandbox'): Promise<Start> {
  const target = await servers[name]()
  const cpuMs = target.cpuSeconds() * 1_000
  await sleep(idleAfterMs)
  const memory = target.memory()
  await target.stop()
  return { ms: target.startMs, cpuMs, memory }
}
