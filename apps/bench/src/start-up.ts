import { median } from './load.ts'
import { type ServerName, servers } from './servers.ts'

const rounds = 5

/** From spawning the process to its ready line. */
export async function measureStartUp(): Promise<void> {
  const times = new Map<ServerName, number[]>([
    ['express', []],
    ['sandbox', []],
  ])
  for (let round = 0; round < rounds; round++) {
    for (const [name, measured] of times) {
      const target = await servers[name]()
      measured.push(target.startMs)
      await target.stop()
    }
  }
  const [express, sandbox] = [...times.values()].map(median) as [number, number]
  console.log(`\nStart-up to ready, medians of ${rounds}`)
  console.log(`  express  ${express.toFixed(0)} ms`)
  console.log(`  sandbox  ${sandbox.toFixed(0)} ms   ${(sandbox / express).toFixed(2)} times that`)
}
