import { describe, expect, it } from 'vitest'
import { egressByHand } from '../world.test.kit.ts'
import { refuseCallbackUrl, refuseDialledAddress } from './callback-target.ts'
import { createGuardedEgress } from './guarded-egress.ts'

describe('where callbacks may go', () => {
  it.each([
    'http://127.0.0.1:3000/cb?a=1',
    'https://localhost/cb',
    'http://[::1]:3000/',
    'http://2130706433/',
    'http://0x7f.1/',
    'HTTP://LOCALHOST:80',
  ])('is this machine: %s', url => {
    expect(refuseCallbackUrl(url, [])).toBeUndefined()
  })

  it.each([
    'http://example.com/cb',
    'http://0.0.0.0:3000/',
    'http://[::]/',
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:169.254.169.254]/',
    'http://10.0.0.1/',
    'http://metadata.google.internal/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'http://127。0。0。1.example/',
  ])('is not %s, and the flag that would allow it is named', url => {
    expect(refuseCallbackUrl(url, ['qa.example'])).toContain(`--allow-callback-host ${new URL(url).hostname}`)
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
  ])('is not %s', (_title, url, words) => {
    expect(refuseCallbackUrl(url, [])).toContain(words)
  })

  it('is a host that was allowed by name, and none that only resembles it', () => {
    const allowed = ['qa.example']
    expect(refuseCallbackUrl('https://QA.example:8443/cb', allowed)).toBeUndefined()
    for (const url of [
      'http://sub.qa.example/',
      'http://qa.example.com/',
      'http://xqa.example/',
      'http://qa.example./',
    ])
      expect(refuseCallbackUrl(url, allowed)).toBeDefined()
  })
})

describe('which address is dialled', () => {
  it.each(['127.0.0.1', '::1', '127.9.9.9'])('for localhost is %s', address => {
    expect(refuseDialledAddress('localhost', address)).toBeUndefined()
  })

  it.each(['10.0.0.1', '93.184.216.34', '169.254.169.254', '0.0.0.0', '::', '2001:db8::1'])(
    'for localhost is never %s',
    address => {
      expect(refuseDialledAddress('localhost', address)).toBeDefined()
    },
  )

  it.each([
    '93.184.216.34',
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '2606:4700::1111',
    '223.255.255.255',
    '170.254.0.1',
  ])('for a host that was allowed may be %s', address => {
    expect(refuseDialledAddress('qa.example', address)).toBeUndefined()
  })

  it.each([
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::FFFF:10.0.0.1',
    'fe80::1',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
  ])('for a host that was allowed is never %s', address => {
    expect(refuseDialledAddress('qa.example', address)).toContain('never dialled')
  })
})

describe('the way out', () => {
  const callback = { headers: {}, timeoutMs: 1000 }

  it('dials an allowed target, with the check of its address', async () => {
    const out = egressByHand()
    const egress = createGuardedEgress({ get: out.send }, [])
    expect(await egress.send({ ...callback, url: 'http://localhost:1/cb' })).toEqual({ status: 200 })
    const [dialled] = out.sent as unknown as { refuseAddress(address: string): string | undefined }[]
    expect(dialled?.refuseAddress('127.0.0.1')).toBeUndefined()
    expect(dialled?.refuseAddress('10.0.0.1')).toBeDefined()
  })

  it('dials nothing where the target is not allowed, and says why', async () => {
    const out = egressByHand()
    const egress = createGuardedEgress({ get: out.send }, [])
    const { error } = await egress.send({ ...callback, url: 'http://example.com/cb' })
    expect(error).toContain('--allow-callback-host example.com')
    expect(out.sent).toEqual([])
  })
})
