import { expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

onEveryStorage('an odd text', adapter => {
  it('comes back unchanged: lone surrogates, NUL, every plane', async () => {
    const tenant = await createTenant(adapter)
    const texts = ['\0', 'a\u0000b', '𝔘𝔫𝔦', 'ñ', '\u202e', '"\\', '\ud800', '\udfff x']
    for (const text of texts) {
      const { json } = await tenant.submit({ 'customer.external_id': text, 'customer.personal_data.first_name': text })
      expect(json.status).toBe('distributed')
      const { customer } = (await tenant.lead(json.lead_id)).submission
      expect([customer.external_id, customer.personal_data.first_name]).toEqual([text, text])
    }
  })
})
