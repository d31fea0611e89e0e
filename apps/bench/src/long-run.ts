import { runLoad } from './load.ts'
import { servers } from './servers.ts'

const step = 10_000
const steps = 20
const connections = 32
const mebibyte = 1_048_576

/** Whether a sandbox that has many leads is slower or larger than one that has few. A bare server runs along, for the noise. */
export async function measureLongRun(): Promise<void> {
  const [bare, sandbox] = [await servers.bare(), await servers.sandbox()]
  const ratios: number[] = []
  const memory: number[] = []
  try {
    for (let index = 0; index < steps; index++) {
      const load = { connections, requests: step, label: `step-${index}` }
      const { perSecond } = await runLoad({ ...load, port: sandbox.port })
      ratios.push(perSecond / (await runLoad({ ...load, port: bare.port })).perSecond)
      memory.push(sandbox.memory() / mebibyte)
    }
  } finally {
    await bare.stop()
    await sandbox.stop()
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  // The first step warms up.
  const [early, late] = [mean(ratios.slice(1, 6)), mean(ratios.slice(-5))]
  const [first = 0, last = 0] = [memory[0], memory.at(-1)]
  console.log(`\nAfter ${(step * steps).toLocaleString('en')} leads, against the first ones`)
  console.log(
    `  rate     ${(late / early).toFixed(2)} of it   (ratio to bare ${early.toFixed(2)}, then ${late.toFixed(2)})`,
  )
  console.log(
    `  memory   ${(last - first).toFixed(0)} MiB more than after ${step.toLocaleString('en')}   (${first.toFixed(0)} MiB, then ${last.toFixed(0)} MiB)`,
  )
}
