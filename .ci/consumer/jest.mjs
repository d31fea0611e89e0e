// A test with Jest, in the set-ups that the README of the publisher SDK names: its blocks, unchanged, in a project that
// has the installed packages.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from '../run-checks.mjs'
import { createUserProject, readJson, sdks } from './project.mjs'

const test = `import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'

test('a lead that is not valid is refused before it is sent', async () => {
  const publisher = createPublisher({ baseUrl: 'https://sandbox.leads.test/api/v1', apiKey: 'sandbox_key' })
  await expect(publisher.submit({})).rejects.toMatchObject({ code: 'validation' })
})

test('a test callback is a request', async () => {
  const callback = { url: 'https://publisher.example/cb', lead_id: crypto.randomUUID(), event: 'approved' }
  expect((await createTestCallback(callback)).method).toBe('GET')
})
`

/** Jest's own module systems, each with its configuration and the flags of its Node. */
const setUps = [
  { file: 'jest.config.mjs', test: 'commonjs.test.js', flags: [] },
  { file: 'esm.config.mjs', test: 'esm.test.mjs', flags: ['--experimental-vm-modules'] },
]

/** The check of all set-ups. */
export function jestCheck({ root, out, tarballs }) {
  return {
    name: 'a test with Jest',
    async run() {
      const babel = { '@babel/core': '^7', '@babel/preset-env': '^7', 'babel-jest': '^30' }
      const needed = { jest: '^30', ...babel }
      const folder = await createUserProject(join(out, 'jest'), tarballs, [sdks[0]], needed, 'hoisted')
      const readme = await readFile(join(root, 'packages/publisher-sdk/README.md'), 'utf8')
      const shown = /<!-- jest -->\n```js\n(.*?)```/s.exec(readme)?.[1]
      if (!shown) throw new Error('The README of packages/publisher-sdk has no block behind <!-- jest -->.')
      await writeFile(join(folder, 'jest.config.mjs'), shown)
      await writeFile(
        join(folder, 'esm.config.mjs'),
        "export default { transform: {}, moduleFileExtensions: ['js', 'mjs'] }\n",
      )
      for (const { file, test: name, flags } of setUps) {
        await writeFile(join(folder, name), test)
        const args = [...flags, 'node_modules/jest/bin/jest.js', '--ci', '--config', file, '--testMatch', `**/${name}`]
        await execute(process.execPath, args, { cwd: folder })
      }
      return (await readJson(join(folder, 'node_modules/jest/package.json'))).version
    },
  }
}
