// Blocks of the READMEs, unchanged, in projects that have what they name and nothing else: a test with each version of msw
// that the package supports, in every environment and pool of vitest, the sandbox without msw, and a test in both module
// systems of Jest, with a DOM and without.
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute, reject } from '../run-checks.mjs'
import { createUserProject, programs, readJson, sdks } from './project.mjs'

/** The versions of msw that the package supports. */
const versions = ['^3', '^2']

/** A check of each version of msw, one without it, and one of Jest. */
export function readmeChecks(given) {
  return [...versions.map(msw => withMsw(given, msw)), withoutMsw(given), withJest(given)]
}

function withoutMsw({ root, out, tarballs }) {
  return {
    name: 'the sandbox in process without msw',
    async run() {
      const folder = await createUserProject(join(out, 'offline-without-msw'), tarballs, [
        sdks[0],
        '@lead-distribution/msw',
      ])
      const readme = await readFile(join(root, 'packages/publisher-sdk/README.md'), 'utf8')
      await writeFile(join(folder, 'in-process.mts'), blockOf(readme, 'in-process'))
      await execute(process.execPath, ['in-process.mts'], { cwd: folder })
      const handlers = `const { createLeadSandbox } = await import('@lead-distribution/msw')
      const sandbox = await createLeadSandbox()
      try { sandbox.handlers } catch (error) { console.log(error.message) }`
      const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', handlers], { cwd: folder })
      reject(stdout.includes('npm install --save-dev msw') ? [] : [`does not say what handlers need: ${stdout}`])
    },
  }
}

function blockOf(readme, name) {
  const code = new RegExp(`<!-- ${name} -->\n\`\`\`[jt]s\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  if (!code) throw new Error(`The page has no block behind <!-- ${name} -->.`)
  return code
}

function withMsw({ root, out, tarballs }, msw) {
  return {
    name: `a test with msw ${msw} and no server`,
    async run() {
      const names = [sdks[0], '@lead-distribution/msw']
      const needed = { msw, vitest: '^5', jsdom: '^31', 'happy-dom': '^21', '@types/node': '^22' }
      const folder = await createUserProject(join(out, `offline-msw${msw.slice(1)}`), tarballs, names, needed)
      const pages = { 'ten-lines.test': 'packages/msw/README.md', 'by-hand': 'docs/sdks/offline-tests.md' }
      for (const [name, page] of Object.entries(pages))
        await writeFile(join(folder, `${name}.ts`), blockOf(await readFile(join(root, page), 'utf8'), name))
      for (const name of ['environments.mjs', 'vitest.config.mjs', 'vm-globals.mjs'])
        await cp(join(programs, name), join(folder, name))
      // Its handlers are those of the msw that the user has.
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const strict = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022']
      await execute(process.execPath, [tsc, ...strict, '--types', 'node', 'by-hand.ts'], { cwd: folder })
      const program = join(folder, 'node_modules/vitest/vitest.mjs')
      const { stdout } = await execute(process.execPath, [program, 'run'], {
        cwd: folder,
        env: { ...process.env, NO_COLOR: '1' },
      })
      const { version } = await readJson(join(folder, 'node_modules/msw/package.json'))
      return `${version}; ${/Tests .*/.exec(stdout)?.[0].replace(/ +/g, ' ')}`
    },
  }
}

/** The tests of Jest in an environment, which the SDK may take for a browser. */
const jestTest = environment => `/** @jest-environment ${environment} */
import { createLeadSandbox } from '@lead-distribution/msw'
import { explainFailuresBy } from '@lead-distribution/msw/jest'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { jest } from '@jest/globals'
import { setupServer } from 'msw/node'

test('a lead that is not valid is refused before it is sent', async () => {
  const publisher = createPublisher({ baseUrl: 'https://sandbox.leads.test/api/v1', apiKey: 'sandbox_key' })
  await expect(publisher.submit({})).rejects.toMatchObject({ code: 'validation' })
})

test('a test callback is a signed request', async () => {
  const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
  const callback = { url: 'https://publisher.example/cb', secret, lead_id: crypto.randomUUID(), event: 'approved' }
  expect((await createTestCallback(callback)).headers.get('webhook-signature')).toMatch(/^v1,/)
})

test('the sandbox behind msw takes a lead to its callback', async () => {
  const sandbox = await createLeadSandbox()
  const server = setupServer(...sandbox.handlers)
  server.listen()
  const { account, leads, testLeads } = sandbox
  const response = await fetch(account.base_url + '/lead', {
    method: 'POST',
    headers: { apikey: account.publisher.api_key, 'Content-Type': 'application/json' },
    body: JSON.stringify(testLeads.distributed()),
  })
  const { status, lead_id } = await response.json()
  expect(status).toBe('distributed')
  await leads.trigger(lead_id, { event: 'approved' })
  await expect(sandbox).toHaveDelivered({ event: 'approved', leadId: lead_id })
  server.close()
  await sandbox.close()
})

test('a wait ends with fake timers', async () => {
  const sandbox = await createLeadSandbox()
  jest.useFakeTimers()
  const wanted = { event: 'approved', leadId: crypto.randomUUID(), timeoutMs: 50 }
  await expect(expect(sandbox).toHaveDelivered(wanted)).rejects.toThrow('within 50 ms')
  jest.useRealTimers()
  await sandbox.close()
})

test('a matcher that fails prints the checks', async () => {
  const sandbox = await createLeadSandbox()
  explainFailuresBy(sandbox)
  const { account, fetch, testLeads } = sandbox
  const publisher = createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key, fetch })
  const result = await publisher.submit(testLeads.incomeInsufficient())
  await expect(result).toBeRejected('income_insufficient')
  await expect(expect(result).toBeNew()).rejects.toThrow(/income +rejected +599 +600/)
  await sandbox.close()
})
`

/** Jest's own module systems, each with its configuration and the flags of its Node. Without ES modules, only msw 2 works. */
const setUps = [
  { file: 'jest.config.mjs', ending: 'js', flags: [], more: ['--moduleNameMapper', '{"^msw(/.*)?$":"msw2$1"}'] },
  { file: 'esm.config.mjs', ending: 'mjs', flags: ['--experimental-vm-modules'], more: [] },
]

/** The environments of Jest in which msw works. */
const jestEnvironments = ['node', 'jest-fixed-jsdom']

function withJest({ root, out, tarballs }) {
  return {
    name: 'a test with Jest',
    async run() {
      const babel = { '@babel/core': '^7', '@babel/preset-env': '^7', 'babel-jest': '^30' }
      const dom = { 'jest-environment-jsdom': '^30', 'jest-fixed-jsdom': '^0.0.11' }
      const needed = { jest: '^30', msw: '^3', msw2: 'npm:msw@^2', ...dom, ...babel }
      const names = [sdks[0], '@lead-distribution/msw']
      const folder = await createUserProject(join(out, 'jest'), tarballs, names, needed, 'hoisted')
      const readme = await readFile(join(root, 'docs/sdks/runtimes.md'), 'utf8')
      await writeFile(join(folder, 'jest.config.mjs'), blockOf(readme, 'jest'))
      await writeFile(
        join(folder, 'esm.config.mjs'),
        "export default { transform: {}, moduleFileExtensions: ['js', 'mjs'] }\n",
      )
      for (const { file, ending, flags, more } of setUps) {
        for (const environment of jestEnvironments)
          await writeFile(join(folder, `${environment}.test.${ending}`), jestTest(environment))
        const match = ['--testMatch', `**/*.test.${ending}`]
        const args = [...flags, 'node_modules/jest/bin/jest.js', '--ci', '--config', file, ...match, ...more]
        await execute(process.execPath, args, { cwd: folder })
      }
      return (await readJson(join(folder, 'node_modules/jest/package.json'))).version
    },
  }
}
