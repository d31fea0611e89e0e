import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allGuides } from './all-guides.ts'
import { parseGuide } from './parse-guide.ts'
import { installPackages } from './reader-folder.fixture.ts'
import { typeFaults } from './type-faults.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'guide-types-'))
  await installPackages(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('compiles every TypeScript file of the guides in a strict project', () => {
  const files = allGuides.flatMap(({ markdown }) => parseGuide(markdown).steps).filter(step => step.kind === 'file')
  for (const { name, code } of files) writeFileSync(join(folder, name), code)
  expect(files.length).toBeGreaterThan(0)
  expect(typeFaults(files.map(({ name }) => join(folder, name)))).toEqual([])
})
