import { proseInterpretation } from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import { validateLead } from '@lead-distribution/publisher-sdk'
import { inTurns, median, ratioTo } from './load.ts'
import { usualLead } from './usual-lead.ts'

const rounds = 15
const runs = 20_000
const body = JSON.stringify(usualLead('ana@example.com'))
const shape = leadSubmission(proseInterpretation)

/** Measures `validateLead`, and the zod shape that it is generated from, against `JSON.parse` of the same body. */
export async function measureLeadCheck(): Promise<void> {
  const lead: unknown = JSON.parse(body)
  const ways = {
    'JSON.parse': () => JSON.parse(body) !== null,
    validateLead: () => validateLead(lead).valid,
    zod: () => shape.safeParse(lead).success,
  }
  const times = await inTurns(ways, { rounds }, (way, label) => {
    const start = performance.now()
    for (let run = 0; run < runs; run++) if (!way()) throw new Error(`The lead was not valid: ${label}.`)
    return ((performance.now() - start) / runs) * 1000
  })
  console.log(`\nValidating a lead of ${body.length} bytes, ${rounds} rounds of ${runs} runs, medians`)
  for (const [name, measured] of times) {
    const ratio = ratioTo(times, 'JSON.parse', name, time => time)
    console.log(`  ${name.padEnd(12)} ${ratio} times JSON.parse   ${median(measured).toFixed(2)} µs`)
  }
}
