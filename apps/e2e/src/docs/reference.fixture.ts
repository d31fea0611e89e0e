import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPackages } from '../guides/reader.fixture.ts'
import { typeFaults } from '../guides/type-faults.ts'

/** As much of TypeDoc's JSON as is read. */
export interface Reflection {
  readonly name: string
  readonly kind: number
  readonly comment?: Comment
  readonly children?: readonly Reflection[]
  readonly signatures?: readonly { readonly comment?: Comment }[]
  readonly getSignature?: { readonly comment?: Comment }
  readonly inheritedFrom?: unknown
}

interface Comment {
  readonly summary: readonly unknown[]
  readonly blockTags?: readonly { readonly tag: string; readonly content: readonly { readonly text: string }[] }[]
}

/** A function, class or constant of the reference, with the name that it is imported by. */
interface Documented {
  readonly entry: string
  readonly reflection: Reflection
}

/** What every function and class of these packages has an example for. */
const packagesWithExamples = ['publisher-sdk', 'advertiser-sdk', 'msw', 'control-client']

// TypeDoc's ReflectionKind is an enum of its program; the numbers are part of its JSON.
const kind = { module: 2, variable: 32, function: 64, class: 128, interface: 256, constructor: 512 }

/** The modules of a package: each path of its exports, or the package itself if it has one only. */
function entriesOf(of: Reflection): Documented[] {
  const entries = (of.children ?? []).filter(child => child.kind === kind.module)
  if (entries.length === 0) return [{ entry: of.name, reflection: of }]
  return entries.map(reflection => ({
    entry: reflection.name.startsWith('@') ? reflection.name : `${of.name}/${reflection.name}`.replace(/\/$/, ''),
    reflection,
  }))
}

const commentsOf = ({ comment, signatures = [], getSignature }: Reflection): Comment[] =>
  [comment, getSignature?.comment, ...signatures.map(signature => signature.comment)].filter(each => each !== undefined)

/** The code of the examples of a function or class. */
const examplesOf = (reflection: Reflection): string[] =>
  commentsOf(reflection)
    .flatMap(({ blockTags = [] }) => blockTags.filter(({ tag }) => tag === '@example'))
    .map(({ content }) => /```ts\n([\s\S]*?)```/.exec(content.map(({ text }) => text).join(''))?.[1] ?? '')

let modules: readonly Documented[]

const documented = (...kinds: number[]): Documented[] =>
  modules.flatMap(({ entry, reflection: { children = [] } }) =>
    children.filter(child => kinds.includes(child.kind)).map(reflection => ({ entry, reflection })),
  )

const withExamples = () =>
  documented(kind.function, kind.class).filter(({ entry }) =>
    packagesWithExamples.some(name => entry.includes(`/${name}`)),
  )

/** Checks the reference that TypeDoc wrote as JSON: what it shows, describes, and has examples of. */
export function testReference(readProject: () => Reflection): void {
  let folder: string
  beforeAll(async () => {
    modules = (readProject().children ?? []).flatMap(entriesOf)
    folder = mkdtempSync(join(tmpdir(), 'reference-'))
    await installPackages(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('has an example of every function and class that users call', () => {
    const found = withExamples()
    expect(found.length).toBeGreaterThan(50)
    const without = found.filter(
      ({ reflection }) => !examplesOf(reflection).some(code => code.includes(reflection.name)),
    )
    expect(without.map(({ entry, reflection }) => `${entry}: ${reflection.name}`)).toEqual([])
  })

  it('has examples that compile in a strict project', () => {
    const given = readFileSync(new URL('given-to-examples.d.ts', import.meta.url), 'utf8')
    writeFileSync(join(folder, 'given.d.ts'), given)
    const unique = [...new Set(withExamples().flatMap(({ reflection }) => examplesOf(reflection)))]
    const files = unique.map((code, index) => {
      const path = join(folder, `example-${index}.ts`)
      writeFileSync(path, `${code}\nexport {}\n`)
      return path
    })
    expect(typeFaults([join(folder, 'given.d.ts'), ...files])).toEqual([])
  })

  it('shows as a value only what can be imported', async () => {
    const missing: string[] = []
    // The entry for vitest registers hooks, and that of Playwright needs its runner.
    for (const { entry } of modules.filter(({ entry: name }) => !/\/(playwright|vitest)$/.test(name))) {
      const names = documented(kind.function, kind.class, kind.variable).filter(value => value.entry === entry)
      const imported = await import(entry)
      missing.push(
        ...names
          .filter(({ reflection }) => !(reflection.name in imported))
          .map(({ reflection }) => `${entry}: ${reflection.name}`),
      )
    }
    expect(missing).toEqual([])
  })

  it('describes every member of a class and an interface', () => {
    const bare = documented(kind.class, kind.interface).flatMap(({ entry, reflection }) =>
      (reflection.children ?? [])
        // The name of an error repeats that of its class, and an error is constructed by its package only.
        .filter(member => member.kind !== kind.constructor && member.name !== 'name' && !member.inheritedFrom)
        .filter(
          member =>
            !commentsOf(member).some(({ summary, blockTags = [] }) => summary.length > 0 || blockTags.length > 0),
        )
        .map(member => `${entry}: ${reflection.name}.${member.name}`),
    )
    expect(bare).toEqual([])
  })
}
