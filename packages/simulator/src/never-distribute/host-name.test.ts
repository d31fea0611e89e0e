import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalHost } from './host-name.ts'

it.each([
  ['QA.Example', 'qa.example'],
  ['qa.example.', 'qa.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['１０.0.0.5', '10.0.0.5'],
  ['0xa000005', '10.0.0.5'],
  ['10.5', '10.0.0.5'],
  ['fd00:0:0::5', '[fd00::5]'],
  ['[FD00::5]', '[fd00::5]'],
  ['::ffff:10.0.0.5', '[::ffff:a00:5]'],
])('%s is the host %s', (text, host) => {
  expect(canonicalHost(text)).toBe(host)
})

it.each([
  ...[
    '',
    ' ',
    '.',
    '*',
    '*.qa.example',
    'http://qa.example',
    'qa.example/',
    'qa.example:80',
    'qa.example:',
    '[fd00::5]:80',
  ],
  ...[
    'user@qa.example',
    'qa example',
    'qa.example?a',
    'qa.example#a',
    'qa\\example',
    'fe80::1%eth0',
    '1.2.3.256',
    'a..b:c',
  ],
])('%j is no host', text => {
  expect(canonicalHost(text)).toBeUndefined()
})

it('spells each host as a URL of it does, once and for all', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.ipV4Extended(), fc.ipV6()), text => {
      const host = canonicalHost(text)
      expect(host).toBe(new URL(`http://${text.includes(':') ? `[${text}]` : text}/`).hostname)
      expect(canonicalHost(host ?? '')).toBe(host)
    }),
  )
})
