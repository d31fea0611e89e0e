import { describe, expect, it } from 'vitest'
import { statements } from '../statements/index.ts'
import { cases } from './index.ts'
import { leadFields, statementOf } from './lead/fields.ts'

describe('the cases', () => {
  it('have unique ids with a section and a name', () => {
    const ids = cases.map(({ id }) => id)
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([])
    expect(ids.filter(id => !/^(\d+(\.\d+)*|open)\/[\w.-]+$/.test(id))).toEqual([])
  })

  it('have unique titles that say what the service does', () => {
    const titles = cases.map(({ title }) => title)
    expect(titles.filter((title, place) => titles.indexOf(title) !== place)).toEqual([])
    expect(titles.filter(title => !/^[a-z]\w+s\b.*[^.]$/.test(title) || /\bshould\b/.test(title))).toEqual([])
  })

  it('name at least one statement each, and only existing ones', () => {
    expect(cases.filter(each => each.statements.length === 0)).toEqual([])
    expect(cases.flatMap(each => each.statements).filter(id => !(id in statements))).toEqual([])
  })
})

describe('the fields of a lead', () => {
  it('come from the shape and have cases', () => {
    expect(leadFields.length).toBeGreaterThan(65)
    const without = leadFields.filter(
      ({ path }) => !cases.some(({ id }) => id.endsWith(`/${path}-refuses-wrong-values`)),
    )
    expect(without).toEqual([])
  })

  it('have the properties of the contract', () => {
    const found = (path: string) => leadFields.find(each => each.path === path)
    expect(found('product_data.loan_amount')).toMatchObject({
      kind: 'integer',
      min: 500,
      max: 75_000,
      isRequired: true,
    })
    expect(found('consents.entries.2.document_url')).toMatchObject({
      kind: 'text',
      isRequired: false,
      isNullable: true,
    })
    expect(found('customer.contact.phone.area_code')).toMatchObject({ kind: 'text', isRequired: false })
    expect(found('customer.profile.children')).toMatchObject({ kind: 'integer', isRequired: false })
  })

  it('have a statement each, or the suite does not start', () => {
    expect(() => statementOf('customer.shoe_size')).toThrow('No statement is about customer.shoe_size: add one.')
  })
})
