import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresStorage } from './postgres-storage.ts'
import { startPostgres } from './server.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'lead-tls-'))
let server: Awaited<ReturnType<typeof startPostgres>>

/** Starts a separate PostgreSQL that only accepts TLS connections, with a self-signed certificate for `localhost`. */
beforeAll(async () => {
  server = await startPostgres()
  await server.stop()
  const data = server.data
  const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const names = ['-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const { uid, gid } = statSync(data)
  for (const file of [key, certificate]) chownSync(file, uid, gid)
  chmodSync(key, 0o600)
  copyFileSync(certificate, join(folder, 'authority.crt'))
  appendFileSync(join(data, 'postgresql.conf'), '\nssl = on\n')
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  await server.start()
})
afterAll(async () => {
  await server.end()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the server's URL with a host name and these parameters. */
function urlOf(host: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(server.url)
  url.hostname = host
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const verified = () => ({ sslmode: 'verify-full', sslrootcert: join(folder, 'authority.crt') })

it('connects over TLS if the authority issued the certificate for this host', async () => {
  const storage = await openPostgresStorage(urlOf('localhost', verified()))
  expect(await storage.health()).toBe('ok')
  await storage.close()
})

it.each([
  ['the certificate is for another host', () => urlOf('127.0.0.1', verified()), /ERR_TLS_CERT_ALTNAME_INVALID/],
  ['the authority is unknown', () => urlOf('localhost', { sslmode: 'verify-full' }), /DEPTH_ZERO_SELF_SIGNED_CERT/],
  ['the server requires TLS', () => urlOf('localhost', {}), /28000/],
])('rejects the connection if %s, without repeating the password', async (_title, url, message) => {
  const opening = openPostgresStorage(url())
  await expect(opening).rejects.toThrow(message)
  await expect(opening).rejects.not.toThrow('secret')
})
