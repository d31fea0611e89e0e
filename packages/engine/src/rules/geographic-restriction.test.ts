import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { geographicRestriction } from './geographic-restriction.ts'

const judge = (address: object | undefined, countries = ['ES'], nacionality?: string) => {
  const lead = leadWith(body => {
    if (address) body.customer.address = address
    if (nacionality) body.customer.personal_data.nacionality = nacionality
  })
  return geographicRestriction.judge(factsOf({ lead, product: productWith({ countries }) }))
}

describe('geographic_restriction', () => {
  it.each([
    ['accepts a country of the product', { country: 'ES' }, true],
    ['accepts it in small letters', { country: 'es' }, true],
    ['refuses any other country', { country: 'PT' }, false],
    ['refuses a country that is empty', { country: '' }, false],
    ['takes an address without a country for one in ES', { city: 'Burgos' }, true],
    ['passes a lead without an address', undefined, true],
  ])('%s [2.12/geographic_restriction]', (_title, address, passes) => {
    expect(judge(address).passes).toBe(passes)
  })

  it('does not look at the nationality [2.12/geographic_restriction]', () => {
    expect(judge({ country: 'ES' }, ['ES'], 'PT').passes).toBe(true)
    expect(judge({ country: 'PT' }, ['ES'], 'ES').passes).toBe(false)
  })

  it('refuses the default country where the product does not name it [2.5/country]', () => {
    expect(judge({}, ['PT']).passes).toBe(false)
  })
})
