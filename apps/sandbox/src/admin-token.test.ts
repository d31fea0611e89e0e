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
    ['with a space', 'open the gate, please'],
    ['with a space at its end', `${'x'.repeat(16)} `],
    ['with a line break', `${'x'.repeat(16)}\nx`],
    ['with a letter that is not of ASCII', 'contraseña-del-equipo'],
    ['with a character of a terminal', `${'x'.repeat(16)}\u001b`],
  ])('is rejected without being repeated: %s', (_title, token) => {
    expect(check(token)).toThrow(RefusedStart)
    expect(check(token)).not.toThrow(token)
  })
})

describe('a public URL', () => {
  it.each(['http://qa.example:4010', 'http://192.0.2.1', 'http://[2001:db8::1]:4010', 'https://127.0.0.1.example'])(
    '%s requires a token',
    async publicUrl => {
      await expect(startServer({ port: 0, logLevel: 'silent', publicUrl })).rejects.toThrow(RefusedStart)
    },
  )

  it.each(['http://127.0.0.1:4010', 'http://localhost', 'http://[::1]:4010'])('%s requires none', async publicUrl => {
    const server = await startServer({ port: 0, logLevel: 'silent', publicUrl })
    onTestFinished(() => server.close())
    expect(server.url).toBe(publicUrl)
  })
})

describe('the location of the data', () => {
  const checkData = (data: string) => () => checkOptions({ data }, false)

  it.each([
    ...['memory', ' memory\n', 'sandbox.db', './data/leads:2026.db', '/var/lib/a@b/leads.db', 'C:\\data\\leads.db'],
    ...[
      'C:/data/leads.db',
      '../leads~1.db',
      'memory.db',
      'postgres://app:secret@db/leads',
      ' postgresql://app@db/leads ',
    ],
  ])('may be %j', data => {
    expect(checkData(data)).not.toThrow()
  })

  it.each([
    ['', 'empty'],
    [' \t', 'empty'],
    ['mysql://app:s3cret@db/leads', 'looks like a URL'],
    ['mysql:app:s3cret@db', 'looks like a URL'],
    ['jdbc:postgresql://db/leads?password=s3cret', 'looks like a URL'],
    ['jdbc:postgresql:leads', 'looks like a URL'],
    ['postgresql+psycopg://app:s3cret@db/leads', 'looks like a URL'],
    ['postgres//app:s3cret@db/leads', 'looks like a URL'],
    ['//app:s3cret@db/leads', 'looks like a URL'],
    ['app:s3cret@db/leads', 'looks like a URL'],
    ['postgres:app:s3cret@db/leads', 'postgres://USER:PASSWORD@HOST'],
    ['postgres:/leads', 'postgres://USER:PASSWORD@HOST'],
    ['sqlite:///leads.db', 'looks like a URL'],
    ['file:leads.db', 'looks like a URL'],
    ['redis://:s3cret@cache', 'looks like a URL'],
    ['"postgres://app:s3cret@db/leads"', 'in quotes'],
    ["'sandbox.db'", 'in quotes'],
    ['sandbox.db"', 'in quotes'],
    ['~/leads.db', 'starts with ~'],
    ['$HOME/s3cret.db', 'a variable'],
    [`\${DATABASE_URL}`, 'a variable'],
    ['%APPDATA%\\leads.db', 'a variable'],
    ['MEMORY', 'memory in lower case'],
    ['Memory', 'memory in lower case'],
    [':memory:', 'memory'],
    ['host=db password=s3cret', 'settings of a database connection'],
    ['Server=db;Password=s3cret', 'settings of a database connection'],
  ])('cannot be %j, which is not repeated', (data, says) => {
    expect(checkData(data)).toThrow(RefusedStart)
    expect(checkData(data)).toThrow(says)
    expect(checkData(data)).not.toThrow('s3cret')
  })
})
