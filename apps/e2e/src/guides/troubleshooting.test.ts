import { expect, it } from 'vitest'
import { isTest, sources } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'
import { allGuides } from './parse-guide.ts'

const page = allGuides.find(({ name }) => name === 'troubleshooting.md')?.markdown ?? ''
/** The messages of the tables, as they are printed. */
const messages = [...page.matchAll(/^\| (?:`` (.+?) ``|`(.+?)`)/gm)].map(([, quoting, plain]) => quoting ?? plain ?? '')
const code = sources
  .filter(({ path }) => !isTest(path) && !path.startsWith('apps/e2e/'))
  .map(({ text }) => text.replaceAll('\\`', '`').replaceAll("\\'", "'"))

it('names messages that the code has', async () => {
  expect(messages.length).toBeGreaterThan(20)
  await eachRow(messages, message => {
    // What a message holds between its fixed parts depends on the case.
    const parts = message.split('…').map(part => part.trim())
    expect(parts.filter(part => !code.some(text => text.includes(part)))).toEqual([])
    expect(Math.max(...parts.map(part => part.length))).toBeGreaterThan(15)
  })
})
