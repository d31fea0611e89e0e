import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/root.ts'

it.each([
  ['publisher-sdk', 'Callbacks'],
  ['advertiser-sdk', 'Postback URLs'],
])('the README of the %s has the sections of both, in their order, and its own: %s', (name, own) => {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
  const sections = [...readme.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  expect(sections).toEqual([
    ...['Install', 'Ten lines', 'The outcomes', 'If the reply is lost', own, 'Errors', 'Retries and time-outs'],
    ...['Logging', 'Unknown values', 'Testing', 'Versions'],
  ])
})
