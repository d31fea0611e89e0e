import { describe, expect, it, onTestFinished } from 'vitest'
import { checkOptions, RefusedStart } from './open-sandbox.ts'
import { startServer } from './server.ts'

const check = (adminToken: string) => () => checkOptions({ adminToken }, false)

describe('the admin token', () => {
  it.each(['x'.repeat(16), 'x'.repeat(1024), 'Bearer/+=~!"{}[]^', ''])('may be %j', token => {
    expect(check(token)).not.toThrow()
  })

  it.each([
    ['one character too short', 'x'.repeat(15)],
    ['one character too long', 'x'.repeat(1025)],
    ['with a space', 'open the door, please'],
    ['with a space at its end', `${'x'.repeat(16)} `],
    ['with a line break', `${'x'.repeat(16)}\nx`],
    ['with a letter that is not of ASCII', 'contraseña-del-equipo'],
    ['with a character of a terminal', `${'x'.repeat(16)}\u001b`],
  ])('is refused %s, and not repeated', (_title, token) => {
    expect(check(token)).toThrow(RefusedStart)
    expect(check(token)).not.toThrow(token)
  })
})

describe('a public URL', () => {
  it.each(['http://qa.example:4010', 'http://192.0.2.1', 'http://[2001:db8::1]:4010', 'https://127.0.0.1.example'])(
    '%s needs a token',
    async publicUrl => {
      await expect(startServer({ port: 0, logLevel: 'silent', publicUrl })).rejects.toThrow(RefusedStart)
    },
  )

  it.each(['http://127.0.0.1:4010', 'http://localhost', 'http://[::1]:4010'])('%s needs none', async publicUrl => {
    const server = await startServer({ port: 0, logLevel: 'silent', publicUrl })
    onTestFinished(() => server.close())
    expect(server.url).toBe(publicUrl)
  })
})
