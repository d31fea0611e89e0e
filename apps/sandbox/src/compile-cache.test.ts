import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { privateFolder } from './compile-cache.ts'

describe('the folder of the compile cache', () => {
  let parent: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'compile-cache-'))
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  })
  const inParent = () => privateFolder(() => parent)

  it('is created for this user alone, and reused', () => {
    const folder = inParent() ?? expect.fail('There is no folder.')
    expect([folder, statSync(folder).mode & 0o777]).toEqual([join(parent, 'lead-sandbox'), 0o700])
    expect(inParent()).toBe(folder)
  })

  it.each([0o770, 0o707, 0o777])('is not used if others may write to it: %o', mode => {
    chmodSync(inParent() ?? '', mode)
    expect(inParent()).toBeUndefined()
  })

  it('is not used if it is a symbolic link, whose permissions mean nothing', () => {
    const elsewhere = join(parent, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(parent, 'lead-sandbox'))
    expect(inParent()).toBeUndefined()
  })

  it('is not used if it cannot be created', () => {
    writeFileSync(join(parent, 'lead-sandbox'), '')
    expect(inParent()).toBeUndefined()
    expect(
      privateFolder(() => {
        throw new Error('There is no home folder.')
      }),
    ).toBeUndefined()
  })
})
