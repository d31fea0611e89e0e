import { proseInterpretation } from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import { validateLead } from '@lead-distribution/publisher-sdk'
import { median } from './load.ts'
import { usualLead } from './usual-lead.ts'

const rounds = 15
const runs = 20_000
const body = JSON.stringify(usualLead('ana@example.com'))
const shape = leadSubmission(proseInterpretation)

/** `validateLead`, and the shape by zod that it is made from, against `JSON.parse` of the same body. They take turns. */
export function measureLeadCheck(): void {
  const lead: unknown = JSON.parse(body)
  const ways = {
    'JSON.parse': () => JSON.parse(body) !== null,
    validateLead: () => validateLead(lead).valid,
    zod: () => shape.safeParse(lead).success,
  }
  const times = new Map<string, number[]>(Object.keys(ways).map(name => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const start = performance.now()
      for (let run = 0; run < runs; run++) if (!way()) throw new Error(`${name} refused the lead.`)
      // The first round warms up.
      if (round > 0) times.get(name)?.push(((performance.now() - start) / runs) * 1000)
    }
  }
  const parsing = times.get('JSON.parse') ?? []
  console.log(`\nThe check of a lead of ${body.length} bytes, ${rounds} rounds of ${runs} runs, medians`)
  for (const [name, measured] of times) {
    const ratio = median(measured.map((time, round) => time / (parsing[round] ?? Number.NaN)))
    console.log(`  ${name.padEnd(12)} ${ratio.toFixed(2)} times JSON.parse   ${median(measured).toFixed(2)} µs`)
  }
}
