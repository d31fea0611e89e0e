import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { allGuides, parseGuide, type Step } from './parse-guide.ts'
import { installPackages } from './reader.fixture.ts'
import { pressButton, runGuide } from './run-guide.ts'
import { typeFaults } from './type-faults.ts'

const stepsOf = (kind: Step['kind']) =>
  allGuides.map(({ name, markdown }) => ({
    name,
    count: parseGuide(markdown).steps.filter(step => step.kind === kind).length,
  }))

describe('the guides', () => {
  it.concurrent.each(allGuides)('$name comes out as it says', ({ markdown }) => runGuide(markdown, pressButton))

  it('are the nineteen journeys, and three pages to look things up in', () => {
    expect(allGuides.length).toBe(22)
  })

  it('show what their commands print', () => {
    expect(stepsOf('output').filter(({ count }) => count === 0)).toEqual([])
  })

  it('leave no block out', () => {
    expect(stepsOf('left').filter(({ count }) => count > 0)).toEqual([])
  })

  it('are short: 40 to 120 lines, without the targets of links below the text', () => {
    const linesOf = (markdown: string) =>
      markdown
        .replaceAll(/^\[[^\]]+\]: .*\n?/gm, '')
        .trimEnd()
        .split('\n').length
    const lengths = allGuides.map(({ name, markdown }) => ({ name, lines: linesOf(markdown) }))
    expect(lengths.filter(({ lines }) => lines < 40 || lines > 120)).toEqual([])
  })

  it('are all listed in the index', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
    expect(allGuides.filter(({ name }) => !index.includes(`(guides/${name})`))).toEqual([])
  })
})

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
