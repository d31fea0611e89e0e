import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'
import { commentsOf, type Documented, labelOf, tagsOf } from './reference-model.fixture.ts'
import { type ThrownError, ThrownErrors } from './thrown-errors.fixture.ts'

/** The source throws these, by `function (file): Error`, and no caller meets them. */
const caught: Readonly<Record<string, string>> = {
  'durationMs (duration.ts): RangeError': 'every text was checked by `isDuration` or a shape before',
  'whileThereIsTime (storage/sql/tenant-content.ts): Error': 'it ends the removal of old content, which waits for it',
  'transact (storage/sql/transaction-queue.ts): Error': 'nothing begins a transaction once the storage is closed',
}

/** The source seems to throw these. */
const neverMet: Readonly<Record<string, string>> = {
  '@lead-distribution/msw: createLeadSandbox: Error': 'for tenants that are gone: these are only being opened',
  '@lead-distribution/msw/vitest: useLeadSandbox: Error': 'for tenants that are gone: these are only being opened',
  '@lead-distribution/msw: LeadSandbox.createTenant: PathError': 'the name of a new tenant is sent in a body',
  '@lead-distribution/msw: createLeadSandbox: PathError': 'the name of a new tenant is sent in a body',
  '@lead-distribution/msw/vitest: useLeadSandbox: PathError': 'the name of a new tenant is sent in a body',
  '@lead-distribution/msw: LeadTenant.close: PathError': 'a tenant has a name that its creation took',
  '@lead-distribution/msw: LeadTenant.close: ControlError': 'it looks first whether the tenant is still there',
  '@lead-distribution/sandbox: createSandboxRouter: Error': 'the method `account` rejects with it',
}

/** Documented, and thrown where the source does not show it. */
const thrownElsewhere: Readonly<Record<string, string>> = {
  '@lead-distribution/control-client/core: Send: ControlError': 'a user writes such a function',
  '@lead-distribution/msw/playwright: routeLeadSandbox: Error': 'Playwright throws it',
  '@lead-distribution/msw/playwright: leadSandboxFixtures: TypeError': 'thrown in the fixtures, which Playwright calls',
  '@lead-distribution/msw/playwright: leadSandboxFixtures: ControlError':
    'thrown in the fixtures, which Playwright calls',
  '@lead-distribution/sandbox: SandboxRouter.account: Error': 'the method is assigned to a router of Express',
  '@lead-distribution/sandbox: SandboxRouter.account: RefusedStart': 'the method is assigned to a router of Express',
}

const packages = ['publisher-sdk', 'advertiser-sdk', 'msw', 'control-client', 'conformance', 'test-leads']

/** The source of each path that users import. */
const files = new Map(
  [...packages.map(name => `packages/${name}`), 'apps/sandbox'].flatMap(folder => {
    const { name, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return Object.entries<string>(exports).map(([path, file]) => [`${name}${path.slice(1)}`, join(root, folder, file)])
  }) as [string, string][],
)

/** The source of everything that users import. It takes seconds to read. */
export const readSource = (): ThrownErrors => new ThrownErrors([...files.values()], Object.keys(caught))

/** The file of what a user imports. */
export const fileOf = ({ entry }: Documented): string => files.get(entry) ?? ''

/** Where the `@throws` of functions, and what they throw, differ. A tag of an interface holds for all of its methods. */
export function faultsOfThrows(callables: readonly Documented[], thrown: ThrownErrors): string[] {
  const unused = new Set([...Object.keys(thrownElsewhere), ...Object.keys(neverMet), ...Object.keys(caught)])
  const faults = callables.flatMap(callable => {
    const { path, reflection, around } = callable
    const label = labelOf(callable)
    const found = thrown.of(fileOf(callable), path)
    const own = tagsOf(commentsOf(reflection), '@throws')
    const documented = namesOf([...own, ...tagsOf(around, '@throws')])
    const undocumented = found.filter(error => !namesFor(error).some(name => documented.includes(name)))
    for (const { name } of undocumented) unused.delete(`${label}: ${name}`)
    const missing = undocumented.filter(({ name }) => !(`${label}: ${name}` in neverMet))
    const possible = new Set(found.flatMap(namesFor))
    const impossible = namesOf(own).filter(name => !possible.has(name))
    for (const name of impossible) unused.delete(`${label}: ${name}`)
    return [
      ...missing.map(({ name, calls }) => `${label} throws ${name} without @throws: ${calls.join(' → ')}`),
      ...impossible
        .filter(name => !(`${label}: ${name}` in thrownElsewhere))
        .map(name => `${label} never throws ${name}`),
      ...own
        .filter(tag => namesOf([tag]).length !== 1 || !saysWhen(tag))
        .map(tag => `${label}: not one error and when: @throws ${tag}`),
    ]
  })
  for (const origin of thrown.origins) unused.delete(origin)
  return [...faults, ...[...unused].map(exception => `No such exception is needed: ${exception}`)]
}

/** An error that is thrown as an abstract class is one of those below it. */
const namesFor = ({ name, isAbstract, below }: ThrownError) => [name, ...(isAbstract ? below : [])]

/** The errors that tags name: a tag begins with its error, then says when. */
const namesOf = (tags: readonly string[]) => tags.flatMap(tag => /^\s*([A-Z]\w+)\b(?!,)/.exec(tag)?.[1] ?? [])

const saysWhen = (tag: string) => tag.split(/\s+/).length > 3
