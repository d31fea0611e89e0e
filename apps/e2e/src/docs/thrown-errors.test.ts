import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ThrownErrors } from './thrown-errors.fixture.ts'

const source = `
export class Refused extends Error {}
export abstract class Lost extends Error {}
export class Late extends Lost {}
class Hidden extends Refused {}
function check(ok: boolean) { if (!ok) throw new Refused() }
export function itself() { throw new TypeError() }
export function byAHelper() { check(false) }
export function caught() { try { check(false) } catch { return } }
export function translated() { try { check(false) } catch { throw new RangeError() } }
export function thrownAgain() { try { check(false) } catch (error) { throw error } }
export async function rejected() { await Promise.reject(new RangeError()) }
export function inACallback() { return [1].map(() => check(false)) }
export function later() { setTimeout(() => check(false)) }
export function made() { return () => check(false) }
export function ofAClassThatIsNotExported() { throw new Hidden() }
export function ofAnAbstractClass(error: Lost) { throw error }
export interface Store { take(): void; put(): void }
export const store: Store = { take: () => check(false), put() {} }
export function byAnInterface(other: Store) { other.take() }
export function withoutErrors(other: Store) { other.put() }
export class Shop { constructor() { check(false) } sell() { itself() } }
`

let folder: string
let thrown: ThrownErrors
let entry: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'thrown-errors-'))
  mkdirSync(join(folder, 'packages/shop/src'), { recursive: true })
  entry = join(folder, 'packages/shop/src/index.ts')
  writeFileSync(entry, source)
  thrown = new ThrownErrors([entry])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['itself', ['TypeError']],
  ['byAHelper', ['Refused']],
  ['caught', []],
  ['translated', ['RangeError']],
  ['thrownAgain', ['Refused']],
  ['rejected', ['RangeError']],
  ['inACallback', ['Refused']],
  ['later', []],
  ['made', []],
  ['ofAClassThatIsNotExported', ['Refused']],
  ['byAnInterface', ['Refused']],
  ['withoutErrors', []],
  ['Store.take', ['Refused']],
  ['Shop', ['Refused']],
  ['Shop.sell', ['TypeError']],
])('finds the errors of %s', (path, names) => {
  expect(thrown.of(entry, path.split('.')).map(({ name }) => name)).toEqual(names)
})

it('leads an abstract class to those below it', () => {
  expect(thrown.of(entry, ['ofAnAbstractClass'])).toMatchObject([{ name: 'Lost', isAbstract: true, below: ['Late'] }])
})

it('leaves out what is said to reach no caller', () => {
  const [{ calls = [], name = '' } = {}] = thrown.of(entry, ['byAHelper'])
  const ignoring = new ThrownErrors([entry], [`${calls.at(-1)}: ${name}`])
  expect(ignoring.of(entry, ['byAHelper'])).toEqual([])
})
