import { describe, expect, it } from 'vitest'
import { knownInAddress, knownInCalls, knownInChanges } from './client.ts'
import { ConfigError } from './errors.ts'
import { checkOptions } from './options.ts'

const nested = { signature: { secrets: 1, toleranceSeconds: 1 } } as const
const known = { ...knownInChanges, ...knownInAddress, ...nested }
const check = (given: unknown) => () => checkOptions('`create`', given, known)

describe('an unknown option', () => {
  it.each([
    ['timeout', 'timeoutMs'],
    ['retries', 'maxRetries'],
    ['baseURL', 'baseUrl'],
    ['url', 'baseUrl'],
    ['header', 'headers'],
    ['keepalive', 'keepAlive'],
    ['toleranceSeconds', 'signature.toleranceSeconds'],
    ['secret', 'signature.secrets'],
    ['domain', 'serviceDomain'],
  ])('%s is refused in favor of the similar %s', (name, meant) => {
    const message = `\`create\` does not know \`${name}\`. Use \`${meant}\`.`
    expect(check({ [name]: 1 })).toThrow(new ConfigError(message))
    expect(check({ baseUrl: 'x', [name]: undefined })).toThrow(new ConfigError(message))
  })

  it('that resembles none is refused with a list of all known ones', () => {
    expect(() => checkOptions('`submit`', { retryAll: true }, knownInCalls)).toThrow(
      '`submit` does not know `retryAll`. The known names are timeoutMs, deadlineMs, maxRetries, signal, headers.',
    )
  })

  it.each(['constructor', 'toString', '__proto__'])('may have the name of an inherited property: %s', name => {
    expect(check(JSON.parse(`{ "${name}": 1 }`))).toThrow(`does not know \`${name}\``)
  })

  it('in a nested object is refused with its path', () => {
    const message = '`create` does not know `signature.tolerance`. Use `signature.toleranceSeconds`.'
    expect(check({ signature: { tolerance: 1 } })).toThrow(new ConfigError(message))
  })

  it('is truncated in the message, because it may be anything', () => {
    expect(check({ [`x${'y'.repeat(500)}`]: 1 })).toThrow(/`xy{63}`/)
  })
})

it.each([
  ['a text', 'sandbox_hunter2'],
  ['a number', 5000],
  ['a function', () => {}],
])('refuses options that are not an object: %s', (_what, given) => {
  expect(check(given)).toThrow(/^`create` takes an object of named options, not a (string|number|function)\.$/)
})

it.each([
  ['an AbortSignal instead of options', new AbortController().signal],
  ['a list', [{ timeoutMs: 5 }]],
  ['headers', new Headers()],
])('refuses %s', (_what, given) => {
  expect(check(given)).toThrow('does not know')
})

it('accepts every known option, undefined, null and no options at all', () => {
  const unset = Object.fromEntries(Object.keys(known).map(name => [name, undefined]))
  for (const given of [unset, {}, undefined, null, { signature: null, headers: { any: 'name' } }])
    expect(check(given)).not.toThrow()
})
