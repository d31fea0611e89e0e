import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalHost,
  canonicalTarget,
  isLoopback,
  type Place,
  refuseAllowedHost,
  refuseBackendUrl,
  refuseCallbackUrl,
  refuseDialedAddress,
} from './callback-target.ts'

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
])('%j is not a host', text => {
  expect(canonicalHost(text)).toBeUndefined()
})

it('normalizes each host as a URL does, idempotently', () => {
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
    'qa.localhost',
    'a.b.LOCALHOST.',
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
  ])('includes %s, as normalized in a URL', text => {
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
    'includes the address %s',
    address => {
      expect(isLoopback(address)).toBe(true)
    },
  )

  it.each(['127.0.0.256', '127.1', '0.0.0.0', '127.0.0.1%lo', ''])('does not include the address %j', address => {
    expect(isLoopback(address)).toBe(false)
  })
})

describe('the allowed callback targets', () => {
  it.each([
    'http://127.0.0.1:3000/cb?a=1',
    'https://localhost/cb',
    'http://[::1]:3000/',
    'http://2130706433/',
    'http://0x7f.1/',
    'HTTP://LOCALHOST:80',
  ])('include this machine: %s', url => {
    expect(refuseCallbackUrl(url, [])).toBeUndefined()
  })

  it.each([
    'http://example.com/cb',
    'http://10.0.0.1/',
    'http://0xa000001/',
    'http://[2606:4700::1111]/',
    'http://[::ffff:10.0.0.1]/',
    'http://metadata.google.internal/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'http://127。0。0。1.example/',
    'http://bücher.example/',
  ])('excludes %s, and the issue names the flag that would allow it', url => {
    const refused = refuseCallbackUrl(url, ['qa.example']) ?? expect.fail('It is allowed.')
    const [host = ''] = /(?<=--allow-callback-host )\S+$/.exec(refused) ?? []
    expect(host).toBe(new URL(url).hostname)
    expect(refuseCallbackUrl(url, [host])).toBeUndefined()
  })

  it.each([
    'http://0.0.0.0:3000/',
    'http://0/',
    'http://[::]/',
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://１６９.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://255.255.255.255/',
    'http://224.0.0.1/',
  ])('never includes %s, even if allowed by name', url => {
    expect(refuseCallbackUrl(url, [new URL(url).hostname])).toContain('no flag allows it')
  })

  it.each([
    ['no URL', 'callbacks', 'absolute URL'],
    ['nothing', '', 'absolute URL'],
    ['a path', '/callbacks', 'absolute URL'],
    ['a URL without slashes', 'http:', 'absolute URL'],
    ['a file', 'file:///etc/passwd', 'http://'],
    ['a script', 'javascript:alert(1)', 'http://'],
    ['FTP', 'ftp://127.0.0.1/', 'http://'],
    ['a user', 'http://user@127.0.0.1/', 'user name'],
    ['a password', 'http://:secret@127.0.0.1/', 'user name'],
    ['this machine as the user of another', 'http://127.0.0.1@example.com/', 'user name'],
  ])('is not %s', (_title, url, message) => {
    expect(refuseCallbackUrl(url, [])).toContain(message)
  })

  it.each([
    ['qa.example', 'https://QA.example:8443/cb'],
    ['QA.Example', 'http://qa.example/'],
    ['qa.example', 'http://qa.example./'],
    ['qa.example.', 'http://qa.example/'],
    ['qa.example', 'http://qa.example%2e/'],
    ['bücher.example', 'http://xn--bcher-kva.example/'],
    ['xn--bcher-kva.example', 'http://BÜCHER.example/'],
    ['10.0.0.5', 'http://0xa000005/'],
    ['fd00::5', 'http://[fd00:0::5]:3000/'],
    ['[fd00::5]', 'http://[fd00::5]/'],
  ])('with %s allowed by name, include %s', (host, url) => {
    expect(refuseCallbackUrl(url, [host])).toBeUndefined()
  })

  it.each([
    ...['http://sub.qa.example/', 'http://qa.example.com/', 'http://xqa.example/', 'http://qa.example../'],
    // The last one contains a Cyrillic letter.
    ...['http://qa-example/', 'http://qa.example%2ecom/', 'http://qа.example/'],
  ])('with qa.example allowed by name, exclude %s', url => {
    expect(refuseCallbackUrl(url, ['qa.example'])).toContain('--allow-callback-host')
  })

  it('ignore a flag that does not name a host', () => {
    for (const flag of ['', '*', '*.example', 'http://qa.example', 'qa.example:', 'qa.example:0', 'qa.example:65536'])
      expect(refuseCallbackUrl('http://qa.example/', [flag])).toBeDefined()
  })
})

it.each([
  ['QA.Example:8443', 'qa.example:8443'],
  ['127.0.0.1:08080', '127.0.0.1:8080'],
  ['[::1]:80', '[::1]:80'],
  ['::1', '[::1]'],
  ['fd00:0:0::5', '[fd00::5]'],
  ['qa.example', 'qa.example'],
])('normalizes the allowed host %s to %s', (text, target) => {
  expect(canonicalTarget(text)).toBe(target)
})

it.each([
  'qa.example:',
  'qa.example:0',
  'qa.example:65536',
  'qa.example:80:80',
  ':80',
  'http://qa.example:80',
  '[::1]:',
])('%s cannot be allowed', text => {
  expect(canonicalTarget(text)).toBeUndefined()
})

it("allows a single port of a host, including a scheme's default", () => {
  const refused = (url: string) => refuseCallbackUrl(url, ['qa.example:8443', 'qa.test:443'])
  expect(refused('https://qa.example:8443/cb')).toBeUndefined()
  expect(refused('https://qa.test/cb')).toBeUndefined()
  for (const url of ['https://qa.example/', 'http://qa.example:8444/', 'http://qa.test/'])
    expect(refused(url)).toContain('--allow-callback-host')
})

describe('on a shared sandbox', () => {
  const shared: Place = { isShared: true }
  const local = [
    'http://127.0.0.1:3000/cb?a=1',
    'https://localhost/cb',
    'http://[::1]:3000/',
    'http://qa.localhost:3000/',
    'http://2130706433:3000/',
    'http://[::ffff:127.0.0.1]:3000/',
    'http://127.9.9.9:3000/',
  ]

  it.each(local)('%s is refused until its host and port are allowed, and the issue names the flag', url => {
    for (const refuse of [refuseCallbackUrl, refuseBackendUrl]) {
      const refused = refuse(url, ['qa.example', '127.0.0.1', 'localhost', '[::1]', '127.0.0.1:3001'], shared)
      const [target = ''] = /(?<=--allow-callback-host )\S+$/.exec(refused ?? '') ?? []
      expect(target).toMatch(/:\d+$/)
      expect(refuse(url, [target], shared)).toBeUndefined()
      expect(refuse(url.replace(/:3000|(?<=localhost)(?=\/cb)/, ':3999'), [target], shared)).toContain('not allowed')
    }
  })

  it.each(['127.0.0.1', 'localhost', '::1', '127.1', 'qa.localhost'])('%s is not allowed without its port', host => {
    expect(refuseAllowedHost(host, shared)).toContain('must name a port')
    expect(refuseAllowedHost(host, { isShared: false })).toBeUndefined()
    const target = host.includes('::') ? `[${host}]:3000` : `${host}:3000`
    expect(refuseAllowedHost(target, shared)).toBeUndefined()
  })

  it('other hosts are allowed as usual', () => {
    expect(refuseCallbackUrl('https://qa.example/cb', ['qa.example'], shared)).toBeUndefined()
    expect(refuseAllowedHost('qa.example', shared)).toBeUndefined()
    expect(refuseAllowedHost('169.254.169.254:80', shared)).toContain('no flag allows it')
  })
})

describe('the sandbox itself', () => {
  const self = { port: 4010, hasWholePort: true, addresses: () => ['192.168.7.7', 'fd00::7'] }
  const server = { isShared: false, self: { ...self, url: 'https://sandbox.example' } }
  const allowed = ['sandbox.example', '192.168.7.7', 'fd00::7', 'qa.example', '127.0.0.1:4010', 'localhost:4010']

  it.each([
    'http://127.0.0.1:4010/_sandbox/v1/tenants',
    'http://localhost:4010/',
    'http://LOCALHOST.:4010/',
    'http://[::1]:4010/any?path',
    'http://127.8.8.8:4010/',
    'http://[::ffff:127.0.0.1]:4010/',
    'http://2130706433:4010/',
    'http://192.168.7.7:4010/',
    'http://[fd00:0::7]:4010/',
    'https://sandbox.example/_sandbox/v1/tenants',
    'https://Sandbox.Example.:443/',
  ])('is never called as %s, whether or not it is shared, whatever is allowed', url => {
    for (const isShared of [false, true])
      for (const refuse of [refuseCallbackUrl, refuseBackendUrl])
        expect(refuse(url, allowed, { ...server, isShared })).toContain('the sandbox itself')
  })

  it.each(['http://127.0.0.1:4011/', 'http://192.168.7.7:3000/', 'http://sandbox.example/', 'http://qa.example:4010/'])(
    'is not %s',
    url => {
      expect(refuseCallbackUrl(url, allowed, server)).toBeUndefined()
    },
  )

  it('is not dialed by a name that resolves to one of its addresses', () => {
    const refused = (url: string, address: string) => refuseDialedAddress(new URL(url), address, server)
    expect(refused('http://qa.example:4010/', '192.168.7.7')).toContain('never calls itself')
    expect(refused('http://qa.example:4010/', 'fd00:0:0::7')).toContain('never calls itself')
    expect(refused('http://qa.example:3000/', '192.168.7.7')).toBeUndefined()
    expect(refused('http://qa.example:4010/', '192.168.7.8')).toBeUndefined()
  })

  it('owns only its own paths on the port of an application that mounts it', () => {
    const place = { isShared: false, self: { ...self, hasWholePort: false, url: 'http://127.0.0.1:4010/leads' } }
    const refused = (path: string) => refuseCallbackUrl(`http://localhost:4010${path}`, [], place)
    for (const path of [
      '/leads/_sandbox/inbox/qa',
      '/leads/_sandbox/v1/tenants',
      '/leads/api/v1/lead',
      '/LEADS/_sandbox/x',
    ])
      expect(refused(path)).toContain('the sandbox itself')
    for (const path of ['/callbacks', '/leads', '/leads/callbacks', '/_sandbox/v1', '/api/v1/lead'])
      expect(refused(path)).toBeUndefined()
  })
})

describe('the dialed address', () => {
  it.each(['127.0.0.1', '::1', '127.9.9.9'])('for localhost may be %s', address => {
    expect(refuseDialedAddress(new URL('http://localhost/'), address)).toBeUndefined()
  })

  it.each(['10.0.0.1', '93.184.216.34', '169.254.169.254', '0.0.0.0', '::', '2001:db8::1'])(
    'for localhost is never %s',
    address => {
      expect(refuseDialedAddress(new URL('http://localhost/'), address)).toBeDefined()
    },
  )

  it.each(['93.184.216.34', '10.0.0.1', '2606:4700::1111', 'fd12::1'])('for an allowed host may be %s', address => {
    expect(refuseDialedAddress(new URL('http://qa.example/'), address)).toBeUndefined()
  })

  it.each([
    ...['127.0.0.1', '::1', '0.0.0.0', '169.254.169.254', '::ffff:127.0.0.1', '::FFFF:a9fe:a9fe', 'fe80::1%eth0'],
    ...['fd00:ec2::254', '64:ff9b::7f00:1', '', 'localhost', 'qa.example', '0x7f000001', '127.1'],
  ])('for an allowed host is never %j', address => {
    expect(refuseDialedAddress(new URL('http://qa.example/'), address)).toContain('no flag allows it')
  })
})

/** Notations of an IPv4 address that a URL parser accepts. */
const spelled = fc
  .tuple(fc.ipV4(), fc.constantFrom('decimal', 'hex', 'octal', 'short', 'mapped', 'dot'))
  .map(([ip, how]) => {
    const bytes = ip.split('.').map(Number)
    const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    const spellings = {
      decimal: String(number),
      hex: `0x${number.toString(16)}`,
      octal: bytes.map(byte => `0${byte.toString(8)}`).join('.'),
      short: `${bytes[0]}.${number % 2 ** 24}`,
      mapped: `[::ffff:${ip}]`,
      dot: `${ip}.`,
    }
    return { ip, host: spellings[how] }
  })

describe('an IPv4 address in any notation', () => {
  it('is checked as the address that it denotes', () => {
    fc.assert(
      fc.property(spelled, ({ ip, host }) => {
        const url = new URL(`http://${host}/`)
        const allowed = refuseCallbackUrl(url.href, [ip, url.hostname]) === undefined
        expect(allowed).toBe(isLoopback(ip) || refuseDialedAddress(new URL('http://qa.example/'), ip) === undefined)
        expect(refuseCallbackUrl(url.href, []) === undefined).toBe(isLoopback(ip))
      }),
    )
  })
})
