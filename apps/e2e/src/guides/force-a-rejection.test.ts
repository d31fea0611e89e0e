import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import type { Reply } from '../adapters/adapter.ts'
import { root } from '../architecture/root.ts'
import { eachRow } from '../each-row.ts'
import { openJourney } from './journey.fixture.ts'

const journey = openJourney()
const decided = ({ status, json }: Reply) => [status, json.status, json.rejection_reason]

describe('forcing each rejection', () => {
  it('every rejection comes by header and by e-mail alike, again and again', () =>
    eachRow(rejectionReasons, async reason => {
      const tenant = await journey.newTenant()
      const headers = { 'x-sandbox-scenario': reason }
      const byHeader = await tenant.submitBody(tenant.body(), headers)
      const byMail = await tenant.submit({}, `${reason}+a@sandbox.test`)
      const again = await tenant.submit({}, `${reason}+a@sandbox.test`)
      for (const reply of [byHeader, byMail, again]) expect(decided(reply)).toEqual([200, 'rejected', reason])

      const kept = [byHeader, byMail, again].filter(({ json }) => json.lead_id)
      const { leads } = (await tenant.control('GET', '/leads')).json
      expect(leads.map(({ lead_id }: { lead_id: string }) => lead_id).sort()).toEqual(
        kept.map(({ json }) => json.lead_id).sort(),
      )
    }))

  it('is told of in the guide for every reason of the specification, both ways', () => {
    const guide = readFileSync(join(root, 'docs/guides/force-a-rejection.md'), 'utf8')
    const times = (reason: string) => guide.split(new RegExp(`\\b${reason}\\b`)).length - 1
    expect(rejectionReasons.filter(reason => times(reason) < 3)).toEqual([])
  })
})
