import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPackages } from '../code-blocks/reader.fixture.ts'
import { typeFaults } from '../code-blocks/type-faults.ts'
import { givenToExamples } from './given-to-examples.fixture.ts'
import {
  commentsOf,
  type Documented,
  exportsOf,
  isNumber,
  kind,
  labelOf,
  membersOf,
  parametersOf,
  type Reflection,
  tagsOf,
  textOf,
} from './reference-model.fixture.ts'

/** The packages whose every function and class has an example. */
const packagesWithExamples = /\/(publisher-sdk|advertiser-sdk|msw|control-client|sandbox)(\/|$)/

/** The unit of a number: by its name, or in words. */
const unitInName = /(^m|M|_m)s$|[sS]econds$|_months$|_age$|[bB]ytes$|^(port|status|http)$|_status$/
const unitInWords =
  /\b(milliseconds|seconds|minutes|hours|days|months|years|euros|cents|bytes|characters|numbers?|count|times|how (many|often)|integer|status|index|leads|probability|from \d+ to \d+)\b/i

/** A name and its unit in one sentence. */
const unitOf = (name: string) =>
  new RegExp(`\`${name}\`[^.]*${unitInWords.source}|${unitInWords.source}[^.]*\`${name}\``, 'i')

let exported: readonly Documented[]

const documented = (...kinds: number[]): Documented[] =>
  exported.filter(({ reflection }) => kinds.includes(reflection.kind))

const withExamples = () => documented(kind.function, kind.class).filter(({ entry }) => packagesWithExamples.test(entry))

/** The code of the examples of a function or class. */
const examplesOf = ({ reflection }: Documented): string[] =>
  tagsOf(commentsOf(reflection), '@example').map(text => /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? '')

/** Every export, and every member of one; what an entry exports of another one is described there. */
const everything = () =>
  exported.filter(({ reflection }) => reflection.kind !== kind.reference).flatMap(each => [each, ...membersOf(each)])

/** Checks the reference that TypeDoc wrote as JSON: what it shows, describes, and has examples of. */
export function testReference(readProject: () => Reflection): void {
  let folder: string
  beforeAll(async () => {
    exported = exportsOf(readProject())
    folder = mkdtempSync(join(tmpdir(), 'reference-'))
    await installPackages(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('has an example of every function and class that users call', () => {
    const found = withExamples()
    expect(found.length).toBeGreaterThan(50)
    const without = found.filter(each => !examplesOf(each).some(code => code.includes(each.reflection.name)))
    expect(without.map(labelOf)).toEqual([])
  })

  it('has examples that compile in a strict project', () => {
    writeFileSync(join(folder, 'given.d.ts'), givenToExamples)
    const unique = [...new Set(withExamples().flatMap(examplesOf))]
    const files = unique.map((code, index) => {
      const path = join(folder, `example-${index}.ts`)
      writeFileSync(path, `${code}\nexport {}\n`)
      return path
    })
    expect(typeFaults([join(folder, 'given.d.ts'), ...files])).toEqual([])
  })

  it('shows as a value only what can be imported', async () => {
    const missing: string[] = []
    const values = documented(kind.function, kind.class, kind.variable)
    // The entry for vitest registers hooks, and that of Playwright needs its runner.
    for (const each of values.filter(({ entry }) => !/\/(playwright|vitest)$/.test(entry))) {
      const imported = await import(each.entry)
      if (!(each.reflection.name in imported)) missing.push(labelOf(each))
    }
    expect(missing).toEqual([])
  })

  it('describes every export, and every member of a class or an interface', () => {
    const containers = new Set([kind.class, kind.interface])
    const bare = exported
      .filter(({ reflection }) => reflection.kind !== kind.reference)
      .flatMap(each => [each, ...(containers.has(each.reflection.kind) ? membersOf(each) : [])])
      // What is deeper down is inferred from a shape, which says it in the OpenAPI document.
      .filter(({ path }) => path.length <= 2)
      // The name of an error repeats that of its class, and an error is constructed by its package only.
      .filter(({ reflection }) => reflection.kind !== kind.constructor && reflection.name !== 'name')
      .filter(({ reflection }) => !commentsOf(reflection).some(comment => textOf(comment).trim() !== ''))
    expect(bare.map(labelOf)).toEqual([])
  })

  it('says the unit of every number', () => {
    const numbers = everything()
      .flatMap(each => (each.reflection.kind === kind.constructor ? [] : [each, ...parametersOf(each)]))
      .filter(({ reflection }) => isNumber(reflection.type))
    expect(numbers.length).toBeGreaterThan(50)
    const bare = numbers.filter(
      ({ reflection, around }) =>
        !unitInName.test(reflection.name) &&
        !commentsOf(reflection).some(comment => unitInWords.test(textOf(comment))) &&
        // The fields of a parameter that has no type of its own: the method says it.
        !around.some(comment => unitOf(reflection.name).test(textOf(comment))),
    )
    expect(bare.map(labelOf)).toEqual([])
  })
}
