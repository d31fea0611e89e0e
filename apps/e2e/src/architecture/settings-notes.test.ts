import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { profiles } from '@lead-distribution/contract/shapes'
import { controlDocument } from '@lead-distribution/simulator/documents'
import { expect, it } from 'vitest'
import { root } from './sources.ts'

const document = controlDocument([], {}) as { components?: { schemas?: Record<string, { properties?: Properties }> } }
type Properties = Record<string, { description?: string }>
const properties = document.components?.schemas?.SettingsChange?.properties ?? {}

/** The rows of the page of open points: each switch with its reason, its default, its other values, and its formal value. */
const rows = Array.from(
  readFileSync(join(root, 'docs/open-points.md'), 'utf8').matchAll(/^\| <a [^|]+ \| `(\w+)` \| (.+) \|$/gm),
  ([, name = '', cells = '']) => [name, ...cells.split(/ \| ?/)] as const,
)

it('gives each setting its reason, the one that the page of open points has', () => {
  const described = Object.entries(properties).map(([name, { description }]) => [name, description])
  expect(described.every(([, description]) => description !== undefined)).toBe(true)
  // The page has the defaults in another column. A note without one is about no open point.
  const points = described.filter(([, description]) => description?.includes(' Default: '))
  expect(points.map(([name, description]) => [name, description?.replace(/ Default: .*$/, '')])).toEqual(
    rows.map(([name, reason]) => [name, reason]),
  )
})

it('gives each setting the defaults that the page of open points has', () => {
  const valueIn = (cell = '') => /^`(.+?)`/.exec(cell)?.[1]?.replaceAll(' ', '')
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const written = rows.map(([name, , prose, , formal]) => [name, valueIn(prose), valueIn(formal) ?? valueIn(prose)])
  expect(written).toEqual(
    rows.map(([name]) => [name, ...[profiles.prose, profiles.formal].map(each => textOf(Reflect.get(each, name)))]),
  )
})
