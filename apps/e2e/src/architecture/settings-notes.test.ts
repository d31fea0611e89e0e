import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlDocument } from '@lead-distribution/simulator/documents'
import { expect, it } from 'vitest'
import { root } from './sources.ts'

const document = controlDocument([], {}) as { components?: { schemas?: Record<string, { properties?: Properties }> } }
type Properties = Record<string, { description?: string }>
const properties = document.components?.schemas?.SettingsChange?.properties ?? {}

it('gives each setting its reason, the one that the page of open points has', () => {
  const page = readFileSync(join(root, 'docs/open-points.md'), 'utf8')
  const reasons = Array.from(page.matchAll(/^\| <a [^|]+ \| `(\w+)` \| ([^|]+) \|/gm), ([, name, reason]) => [
    name,
    reason,
  ])
  // The page has the defaults in another column.
  const described = Object.entries(properties).map(([name, { description }]) => [
    name,
    description?.replace(/ Default: .*$/, ''),
  ])
  expect(described.every(([, description]) => description !== undefined)).toBe(true)
  const others = ['profile', 'lifecycle', 'journal_bodies']
  expect(described.filter(([name = '']) => !others.includes(name))).toEqual(reasons)
})
