import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startServer } from '@lead-distribution/sandbox'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { installPackages } from '../guides/reader.fixture.ts'
import { typeFaults } from '../guides/type-faults.ts'
import { codeBlocks } from './code-block.ts'

const blocks = codeBlocks(readFileSync(join(root, 'packages/control-client/README.md'), 'utf8'))
const modules = blocks.filter(({ language }) => language === 'ts')
const tests = modules.filter(({ name }) => name?.endsWith('.test'))

describe('packages/control-client/README.md', () => {
  let folder = ''
  const pathOf = (name = '') => join(folder, `${name}.ts`)
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'readme-'))
    await installPackages(folder)
    const server = await startServer({ port: 0, logLevel: 'silent' })
    for (const { name, code } of modules)
      writeFileSync(pathOf(name), code.replaceAll('http://127.0.0.1:4010', server.url))
    return async () => {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('has no block that is not compiled', () => {
    expect(blocks.map(({ name }) => name)).toEqual(['install', 'first.test', 'events.test', 'errors.test', 'options'])
  })

  it('has TypeScript that compiles in a strict project', () => {
    expect(typeFaults(modules.map(({ name }) => pathOf(name)))).toEqual([])
  }, 60_000)

  it('has tests that pass unchanged', async () => {
    const command = join(root, 'node_modules/vitest/vitest.mjs')
    const report = join(folder, 'report.json')
    await promisify(execFile)(
      process.execPath,
      [command, 'run', '.test.ts', '--root', folder, '--reporter', 'json', '--outputFile', report],
      { cwd: folder, env: { PATH: process.env.PATH } },
    ).catch((error: { stdout: string; stderr: string }) => expect.fail(`${error.stdout}\n${error.stderr}`))
    const { success, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'))
    expect([success, numPassedTests]).toEqual([true, tests.length])
  }, 60_000)
})
