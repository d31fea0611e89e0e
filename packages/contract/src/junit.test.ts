import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { coverageJunit, escapeXml, type JunitCase, junitDocument } from './junit.ts'
import { readXml } from './read-xml.fixture.ts'

const text = fc.string({ unit: 'binary', minLength: 1 })
const anyCase: fc.Arbitrary<JunitCase> = fc.record(
  {
    name: text,
    failure: fc.record({ type: text, message: text, text }),
    skipped: text,
    seconds: fc.nat(),
  },
  { requiredKeys: ['name'] },
)

it('counts the cases of every suite and of the whole run', async () => {
  await fc.assert(
    fc.property(fc.array(fc.array(anyCase)), groups => {
      const root = readXml(junitDocument({ name: 'run', suites: groups.map(cases => ({ name: 'suite', cases })) }))
      for (const element of [root, ...root.children]) {
        const cases = element === root ? root.children.flatMap(({ children }) => children) : element.children
        const holding = (child: string) =>
          cases.filter(({ children }) => children.some(({ name }) => name === child)).length
        expect([element.attributes.tests, element.attributes.failures, element.attributes.skipped]).toEqual(
          [cases.length, holding('failure'), holding('skipped')].map(String),
        )
      }
    }),
  )
})

it('writes each check with its group, its time, and the reason for its failure or skipping', () => {
  const failure = { type: 'differs', message: 'Expected 200.', text: 'It was 500 <html>.' }
  const cases = [
    { name: 'a' },
    { name: 'b', seconds: 0.25, failure },
    { name: 'c', classname: 'mine', skipped: 'Give a key.' },
  ]
  const [suite] = readXml(junitDocument({ name: 'run', suites: [{ name: 'lead', cases }] })).children
  expect(suite?.children.map(({ attributes }) => attributes)).toEqual([
    { classname: 'run.lead', name: 'a', time: '0' },
    { classname: 'run.lead', name: 'b', time: '0.25' },
    { classname: 'mine', name: 'c', time: '0' },
  ])
  const [failed, left] = suite?.children.flatMap(({ children }) => children) ?? []
  expect([failed?.attributes, failed?.text.trim()]).toEqual([
    { type: 'differs', message: 'Expected 200.' },
    'It was 500 <html>.',
  ])
  expect(left?.attributes).toEqual({ message: 'Give a key.' })
})

it('preserves any text in attributes and between tags', async () => {
  await fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const { attributes, text: content } = readXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`)
      expect([attributes.b, content]).toEqual([text, text])
    }),
  )
})

it.each([
  ['a <b> & "c" \'d\'', 'a &#60;b&#62; &#38; &#34;c&#34; &#39;d&#39;'],
  ['\u0000\u001b\u{ffff}\ud800', '\u{fffd}\u{fffd}\u{fffd}\u{fffd}'],
])('writes %j as %j', (text, written) => {
  expect(escapeXml(text)).toBe(written)
})

it('writes coverage as one suite per kind, with items that were not seen skipped, or failed if required, and how to cover them', () => {
  const required = {
    kind: 'reason',
    name: 'blacklisted',
    count: 0,
    how: 'Submit a customer of the blacklist.',
  } as const
  const items = [
    { kind: 'outcome', name: 'new', count: 2, how: 'Submit an amount that no advertiser accepts.' },
    { kind: 'outcome', name: 'distributed', count: 0, how: 'Submit a minimal lead.' },
    required,
  ] as const
  const document = coverageJunit(items, [required])
  const messages = (tag: string) =>
    [...document.matchAll(new RegExp(`<${tag} .*?message="([^"]+)"`, 'g'))].map(([, message]) => message)
  expect([...document.matchAll(/<testsuite name="(\w+)"/g)].map(([, name]) => name)).toEqual(['outcome', 'reason'])
  expect(messages('skipped')).toEqual(['distributed was not seen. Submit a minimal lead.'])
  expect(messages('failure')).toEqual(['blacklisted was not seen. Submit a customer of the blacklist.'])
})
