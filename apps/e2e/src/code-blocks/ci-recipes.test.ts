import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@lead-distribution/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../adapters/sockets.ts'
import { parsePage, readPage } from './parse-page.ts'
import { Reader, saveFile } from './reader.fixture.ts'
import { installFromSources } from './run-page.ts'

interface Step {
  readonly run?: string
  readonly uses?: string
}

/** A project as it is on a build server after installing: the recipe's test, and the sandbox. */
async function openProject(path: string) {
  const folder = mkdtempSync(join(tmpdir(), 'build-'))
  const port = String(await freePort())
  const reader = new Reader(folder, await installFromSources(folder, port))
  onTestFinished(async () => {
    await reader[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs commands in a separate shell, as build servers do. They must succeed. */
  async function run(commands: string, variables: object = {}): Promise<void> {
    const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`)
    await saveFile(folder, { name: 'step.sh', code: exports.join('') + commands })
    const { exit, printed } = await reader.type('bash -e -o pipefail step.sh')
    expect(exit, `${commands}\n${printed}`).toBe(0)
  }

  const steps = parsePage({ path, markdown: readPage(path).markdown.replace(/\b4010\b/g, port) })
  for (const step of steps) if (step.kind === 'command') await run(step.code)
  const [file] = steps.flatMap(step => (step.kind === 'file' ? [parse(step.code)] : []))
  return { file, folder, run, read: (name: string) => readFileSync(join(folder, name), 'utf8') }
}

/** Expects that the sandbox saw the test's request, and that the report says so. */
function expectReport(read: (name: string) => string) {
  expect(read('sandbox.log')).toMatch(/"path":"\/api\/v1\/lead".*"status":400|"status":400.*"path":"\/api\/v1\/lead"/)
  expect(read('coverage.xml')).toContain('<testsuite')
}

it('every step of the workflow for GitHub runs, each in its own shell', async () => {
  const { file, run, read } = await openProject('docs/recipes/github-actions.md')
  const { env, steps } = file.jobs.test as { env: Record<string, string>; steps: readonly Step[] }
  const commands = steps.flatMap(({ run: command }) => (command ? [command] : []))
  expect(commands.length).toBe(4)
  for (const command of commands) if (command !== 'npm ci') await run(command, env)
  expectReport(read)
})

it('the script for GitLab runs, in one shell', async () => {
  const { file, run, read } = await openProject('docs/recipes/gitlab-ci.md')
  const [install, ...script] = file.leads.script as readonly string[]
  expect(install).toBe('npm ci')
  await run(script.join('\n'), file.leads.variables)
  expectReport(read)
})

// Three runs of the whole suite.
it('the nightly workflow opens one issue when the service changes', { timeout: 300_000 }, async () => {
  const service = await startServer({ port: 0, logLevel: 'silent' })
  onTestFinished(() => service.close())
  const { file, folder, run, read } = await openProject('docs/recipes/drift.md')
  const { base_url, publisher, products } = service.account()
  const variables = {
    LEAD_BASE_URL: base_url,
    LEAD_PUBLISHER_ID: publisher.publisher_id,
    LEAD_PRODUCT_ID: products.find(({ active }) => active)?.product_id,
    LEAD_PUBLISHER_API_KEY: publisher.api_key,
  }
  const gh = '#!/bin/sh\necho "$*" >> issues.txt\ncat >> body.txt\n'
  writeFileSync(join(folder, 'node_modules/.bin/gh'), gh, { mode: 0o755 })
  writeFileSync(join(folder, 'issues.txt'), '')
  await run('git init -q -b main && git init -q --bare origin.git && git remote add origin ./origin.git')
  await run('git config push.autoSetupRemote true')

  const commands = (file.jobs.compare.steps as readonly Step[]).flatMap(({ run: command }) => command ?? [])
  expect(commands.length).toBe(4)
  async function night() {
    for (const command of commands) if (command !== 'npm ci') await run(command, variables)
    const commits = execFileSync('git', ['-C', 'origin.git', 'log', '--oneline', 'main'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { issues: read('issues.txt').split('\n').slice(0, -1), commits: commits.trim().split('\n').length }
  }
  expect(await night()).toEqual({ issues: [], commits: 1 })
  await fetch(`${service.url}/_sandbox/v1/tenants/demo`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ settings: { gender: 'required' } }),
  })
  const issues = ['issue create --title The service changed --body-file -']
  expect(await night()).toEqual({ issues, commits: 2 })
  expect(read('body.txt')).toMatch(/^-gender: optional\n\+gender: required$/m)
  expect(await night()).toEqual({ issues, commits: 2 })
})
