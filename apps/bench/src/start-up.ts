import { inTurns, median } from './load.ts'
import { servers } from './servers.ts'

const rounds = 5

/** From spawning the process to its ready line. */
export async function measureStartUp(): Promise<void> {
  const { express, sandbox } = servers
  const times = await inTurns({ express, sandbox }, { rounds, warmUp: 0 }, async start => {
    await using target = await start()
    return target.startMs
  })
  const [bare = Number.NaN, ours = Number.NaN] = [...times.values()].map(median)
  console.log(`\nStart-up to ready, medians of ${rounds}`)
  console.log(`  express  ${bare.toFixed(0)} ms`)
  console.log(`  sandbox  ${ours.toFixed(0)} ms   ${(ours / bare).toFixed(2)} times that`)
}
