import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { demoAccount } from '@lead-distribution/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { freePort } from '../adapters/sockets.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { alone, cli, text, json, control } = sandboxCli()
const { start } = launcher()

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'first-day-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('env', () => {
  it("prints a publisher's variables, with the secret of signed callbacks", async () => {
    const { base_url, publisher, products } = await control().show()
    const variables = {
      LEAD_BASE_URL: base_url,
      LEAD_PUBLISHER_API_KEY: publisher.api_key,
      PUBLISHER_ID: publisher.publisher_id,
      PRODUCT_ID: products.find(({ active }) => active)?.product_id,
    }
    expect(parseEnv(await text('env', 'publisher'))).toEqual(variables)
    await control().update({ settings: { callback_signature: 'standard_webhooks' } })
    const signed = { ...variables, CALLBACK_SIGNING_SECRET: publisher.callback_secret }
    expect(await json('env', 'publisher')).toEqual(signed)
  })

  it('prints a comment instead of a product if none is active', async () => {
    const { products } = await control().show()
    await control().update({ products: products.map(({ product_id }) => ({ product_id, active: false })) })
    const printed = await text('env', 'publisher')
    expect(printed).toContain('\n# PRODUCT_ID: ')
    expect(parseEnv(printed)).not.toHaveProperty('PRODUCT_ID')
  })

  it('prints the variables of the first advertiser, or of the given one', async () => {
    const { base_url, advertisers } = await control().show()
    const [first, second] = advertisers
    const variables = (advertiser = first) => ({
      LEAD_BASE_URL: base_url,
      LEAD_ADVERTISER_API_KEY: advertiser?.api_key,
      ADVERTISER_ID: advertiser?.advertiser_id,
    })
    expect(parseEnv(await text('env', 'advertiser'))).toEqual(variables())
    const named = second?.advertiser_id.toUpperCase() ?? ''
    expect(parseEnv(await text('env', 'advertiser', '--advertiser', named))).toEqual(variables(second))
    const unknown = await cli(['env', 'advertiser', '--advertiser', demoAccount.publisher_id])
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('has no such advertiser')])
  })

  it('prints the variables of a sandbox that does not run yet, and says so', async () => {
    const port = await freePort()
    const address = ['--sandbox', `http://127.0.0.1:${port}`]
    const publisher = await alone('env', 'publisher', ...address)
    const advertiser = await alone('env', 'advertiser', ...address)
    const { url } = await start('--port', String(port))
    for (const { code, stderr } of [publisher, advertiser])
      expect([code, stderr]).toEqual([0, expect.stringContaining(`No sandbox is running at ${url} yet.`)])
    expect(await alone('env', 'publisher', ...address)).toMatchObject({ stdout: publisher.stdout, stderr: '' })
    expect(await alone('env', 'advertiser', ...address)).toMatchObject({ stdout: advertiser.stdout, stderr: '' })
    const settings = ['callback_signature=standard_webhooks', ...address]
    expect(await alone('settings', 'set', ...settings)).toMatchObject({ code: 0 })
    const { CALLBACK_SIGNING_SECRET } = parseEnv((await alone('env', 'publisher', ...address)).stdout)
    expect(publisher.stderr).toContain(`CALLBACK_SIGNING_SECRET=${CALLBACK_SIGNING_SECRET}\n`)
  })

  it.each([
    ['another tenant', ['--sandbox', 'http://127.0.0.1:9', '--tenant', 'qa'], 'No sandbox responds at'],
    ['another machine', ['--sandbox', 'http://sandbox.invalid:4010'], 'sandbox.invalid has no address'],
  ])('fails for %s that does not respond', async (_of, address, says) => {
    const { code, stdout, stderr } = await alone('env', 'publisher', ...address)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(says)])
  })
})

describe('an unknown command', () => {
  it.each([
    ['resend abc', 'callbacks resend'],
    ['leads explian abc', 'leads explain'],
  ])('%s is a usage error that suggests the right command', async (line, meant) => {
    const { code, stdout, stderr } = await alone(...line.split(' '))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`Did you mean \`${meant}\`?`)
    expect(stderr.match(/did you mean/gi)).toHaveLength(1)
  })

  it('suggests none if none is similar, or if the command is right', async () => {
    for (const args of [['nonsense'], ['submit', 'a', 'b']]) {
      const { code, stderr } = await alone(...args)
      expect([code, stderr]).toEqual([2, expect.not.stringContaining('Did you mean')])
    }
  })
})

const verbsIn = (help: string) => [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, verb]) => verb)

describe('help', () => {
  it('shows the ten commands of a first day, and all others with --all', async () => {
    const [first, all] = [(await alone('--help')).stdout, (await alone('help', '--all')).stdout]
    expect(verbsIn(first)).toHaveLength(10)
    expect(first).toContain('lead-sandbox help --all')
    expect(verbsIn(all)).toEqual(expect.arrayContaining([...verbsIn(first), 'tenants', 'certify', 'completions']))
  })
})

describe('init', () => {
  it('writes a configuration with its schema that a sandbox can start with; never overwrites a file', async () => {
    const file = join(emptyFolder(), 'lead-sandbox.json')
    const wrote = await alone('init', file)
    expect([wrote.code, wrote.stdout]).toEqual([0, expect.stringContaining(`lead-sandbox start --config ${file}`)])
    const { $schema, tenants } = JSON.parse(readFileSync(file, 'utf8'))
    expect(tenants.map(({ name }: { name: string }) => name)).toEqual(['demo'])
    const schema = JSON.parse(readFileSync(resolve(dirname(file), $schema), 'utf8'))
    expect(schema.properties).toHaveProperty('tenants')
    const { base_url, url } = await start('--config', file)
    expect(parseEnv((await alone('env', 'publisher', '--sandbox', url)).stdout)).toMatchObject({
      LEAD_BASE_URL: base_url,
    })

    writeFileSync(file, 'mine')
    const again = await alone('init', file)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    const nowhere = join(dirname(file), 'none', 'lead-sandbox.json')
    expect(await alone('init', nowhere)).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') })
    expect(existsSync(nowhere)).toBe(false)
  })
})

describe('completions', () => {
  it.each([
    [['sub'], ['submit']],
    [
      ['leads', ''],
      ['list', 'show', 'explain', 'repro'],
    ],
    [['leads', 'list', '--status', 're'], ['rejected']],
  ])('complete %j in bash', async (words, found) => {
    const { stdout } = await alone('completions', 'bash')
    const all = ['lead-sandbox', ...words].map(word => `'${word}'`).join(' ')
    const script = `${stdout}
COMP_WORDS=(${all}) COMP_CWORD=${words.length}
_lead_sandbox
printf '%s\\n' "\${COMPREPLY[@]}"`
    const printed = execFileSync('bash', ['-uc', script], { encoding: 'utf8' })
    expect(printed.split('\n').filter(line => line !== '')).toEqual(found)
  })

  it.each(['zsh', 'fish'])('know every command in %s', async shell => {
    const [{ stdout: script }, { stdout: all }] = [await alone('completions', shell), await alone('help', '--all')]
    expect(verbsIn(all).filter(verb => !new RegExp(`\\b${verb}\\b`).test(script))).toEqual([])
  })

  it('are refused for other shells', async () => {
    const { code, stderr } = await alone('completions', 'cmd')
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')])
  })
})
