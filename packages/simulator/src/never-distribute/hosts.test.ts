import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalHost, isLoopback } from './hosts.ts'

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

const hostOf = (text: string) => new URL(`http://${text}/`).hostname

describe('this machine', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    '127.0.0.1',
    '127.0.0.1.',
    '127.255.255.254',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '１２７.0.0.1',
  ])('is %s, as a URL spells it', text => {
    expect(isLoopback(hostOf(text))).toBe(true)
  })

  it.each([
    '0.0.0.0',
    '0',
    '128.0.0.1',
    '126.255.255.255',
    '10.0.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '127.0.0.1.nip.io',
    'localhost.example',
    'localhosts',
    'notlocalhost',
    '[::]',
    '[::2]',
    '[::ffff:169.254.169.254]',
    '[::ffff:128.0.0.1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[2001:db8::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[::7f00:1]',
    '[2002:7f00:1::]',
    'localhost..',
  ])('is not %s', text => {
    expect(isLoopback(hostOf(text))).toBe(false)
  })

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::1%lo', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
    'is the address %s',
    address => {
      expect(isLoopback(address)).toBe(true)
    },
  )

  it.each(['127.0.0.256', '127.1', '0.0.0.0', '127.0.0.1%lo', ''])('is not the address %j', address => {
    expect(isLoopback(address)).toBe(false)
  })
})
