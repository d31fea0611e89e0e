import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isTest, root, sources } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'
import { allGuides, inEachLanguage, parseGuide, quickStarts, type Step, sandboxPages } from './parse-guide.ts'
import { installPackages } from './reader.fixture.ts'
import { pressButton, runGuide } from './run-guide.ts'
import { typeFaults } from './type-faults.ts'

const stepsOf = (kind: Step['kind']) =>
  allGuides.map(({ name, markdown }) => ({
    name,
    count: parseGuide(markdown).steps.filter(step => step.kind === kind).length,
  }))
const guide = (file: string) => allGuides.find(({ name }) => name === file)?.markdown ?? ''

describe('the guides', () => {
  it.concurrent.each([...allGuides, ...sandboxPages].flatMap(inEachLanguage))(
    '$name comes out as it says',
    ({ markdown }) => runGuide(markdown, pressButton),
  )

  it('are all found', () => {
    expect(allGuides.length).toBeGreaterThan(22)
  })

  it('show what their commands print, and leave no block out', () => {
    expect(stepsOf('output').filter(({ count }) => count === 0)).toEqual([])
    expect(stepsOf('left').filter(({ count }) => count > 0)).toEqual([])
  })

  it('send an output into a file only if something reads that file later', () => {
    const unread = [...allGuides, ...sandboxPages, ...quickStarts].flatMap(({ name, markdown }) =>
      parseGuide(markdown)
        .steps.filter(step => step.kind === 'command' || step.kind === 'terminal')
        .flatMap(({ code }) => [...code.matchAll(/> ?([\w./]+)$/gm)].map(([, file = '']) => file))
        .filter(file => markdown.split(file).length === 2)
        .map(file => `${name}: ${file}`),
    )
    expect(unread).toEqual([])
  })

  it('are short: 40 to 125 lines in their first language, without the targets of links below the text', () => {
    const linesOf = (markdown: string) =>
      markdown
        .replaceAll(/\n{3,}/g, '\n\n')
        .replaceAll(/^\[[^\]]+\]: .*\n?/gm, '')
        .trimEnd()
        .split('\n').length
    const lengths = allGuides
      .flatMap(guide => inEachLanguage(guide).slice(0, 1))
      .map(({ name, markdown }) => ({ name, lines: linesOf(markdown) }))
    expect(lengths.filter(({ lines }) => lines < 40 || lines > 125)).toEqual([])
  })

  it('are all listed in the index', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
    expect(allGuides.filter(({ name }) => !index.includes(`(guides/${name})`))).toEqual([])
  })

  it('have TypeScript that compiles in a strict project', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guide-types-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await installPackages(folder)
    const files = allGuides
      .flatMap(({ markdown }) => parseGuide(markdown).steps)
      .filter(step => step.kind === 'file')
      .filter(({ name }) => name.endsWith('.ts'))
    for (const { name, code } of files) writeFileSync(join(folder, name), code)
    expect(files.length).toBeGreaterThan(0)
    expect(typeFaults(files.map(({ name }) => join(folder, name)))).toEqual([])
  })

  it('force every rejection of the specification, both ways', () => {
    const times = (reason: string) => guide('force-a-rejection.md').split(new RegExp(`\\b${reason}\\b`)).length - 1
    // The ten of the specification come first; the guide need not name an addition.
    const specified = rejectionReasons.slice(0, 10)
    expect(specified.filter(reason => times(reason) < 3)).toEqual([])
  })

  it('name messages in the troubleshooting tables that the code has', async () => {
    const rows = guide('troubleshooting.md').matchAll(/^\| (?:`` (.+?) ``|`(.+?)`)/gm)
    const messages = [...rows].map(([, quoting, plain]) => quoting ?? plain ?? '')
    const code = sources
      .filter(({ path }) => !isTest(path) && !path.startsWith('apps/e2e/'))
      .map(({ text }) => text.replaceAll('\\`', '`').replaceAll("\\'", "'"))
    expect(messages.length).toBeGreaterThan(20)
    await eachRow(messages, message => {
      // What a message holds between its fixed parts depends on the case.
      const parts = message.split('…').map(part => part.trim())
      expect(parts.filter(part => !code.some(text => text.includes(part)))).toEqual([])
      expect(Math.max(...parts.map(part => part.length))).toBeGreaterThan(15)
    })
  })
})
