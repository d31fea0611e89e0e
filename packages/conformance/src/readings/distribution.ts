import { heldLeads } from './lead-holders.ts'
import { probeOf } from './probe.ts'

/** Point 13 (Spec 1, 3): how many advertisers get a lead? */
export const distribution = probeOf('distribution', ['second_advertiser'], async target => {
  let looked = 0
  for await (const { holders, willing = 0 } of heldLeads(target)) {
    looked += 1
    if (holders > 1) return ['all_accepting', `On one lead ${holders} advertisers may report.`]
    if (holders === 1 && willing > 1)
      return [
        'first_accept',
        `By their criteria ${willing} advertisers take such a lead, and one of them may report on it.`,
      ]
  }
  return [
    undefined,
    `On none of ${looked} leads of several amounts two advertisers may report, and whether two would have taken one is not known: --account tells it.`,
  ]
})
