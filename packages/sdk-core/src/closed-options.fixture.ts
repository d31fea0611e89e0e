import { describe, expect, it } from 'vitest'
import { ConfigError } from './errors.ts'

/**
 * A call with one unknown option. `meant`: the known name that the error suggests, if there is one. `make` spreads its
 * argument into the options; `sends` counts the requests of its client.
 */
export type OptionCall = readonly [call: string, unknown: string, meant: string, make: (more: object) => unknown]

/** Declares the tests that every function and method of an SDK refuses unknown options, and sends nothing. */
export function testClosedOptions({ calls, exported, methods, withoutOptions, sent }: ClosedOptions): void {
  describe('an unknown option or field is refused with the one that was meant, and nothing is sent', () => {
    it.each(calls)('%s: %s, for %s', async (call, unknown, meant, make) => {
      sent.length = 0
      for (const value of [1, undefined]) {
        const error = await errorOf(() => make({ [unknown]: value }))
        expect(error).toSatisfy(ConfigError.is)
        const { message } = error as Error
        const taker = call.startsWith('The ') ? call : `\`${call}\``
        expect(message.startsWith(`${taker} does not know \``)).toBe(true)
        expect(message).toMatch(new RegExp(`^[^\`]*(\`[^\`]*\`)?[^\`]*\`[\\w.]*\\b${unknown}\`\\. `))
        expect(message).toContain(meant ? `Use \`${meant}\`.` : 'The known names are ')
      }
      expect(sent).toEqual([])
    })
  })

  it.each(calls)('%s takes none of its known options for unknown: %s', async (_call, _unknown, _meant, make) => {
    expect(String(await errorOf(() => make({})))).not.toContain('does not know')
  })

  it('is tried for every function and method that is exported', () => {
    const functions = Object.entries(exported).filter(
      ([name, value]) => typeof value === 'function' && !name.endsWith('Error'),
    )
    const tried = new Set([...withoutOptions, ...calls.map(([call]) => call)])
    expect([...functions.map(([name]) => name), ...methods].filter(name => !tried.has(name))).toEqual([])
  })
}

interface ClosedOptions {
  readonly calls: readonly OptionCall[]
  /** Everything that the entries of the SDK export. */
  readonly exported: object
  /** The methods of its client. */
  readonly methods: readonly string[]
  /** The functions that take a value, a request or names of the user's own, and no options. */
  readonly withoutOptions: readonly string[]
  /** The arguments of the client's `fetch`. */
  readonly sent: unknown[]
}

/** Returns the error of a call, thrown or rejected. */
async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make()
  } catch (error) {
    return error
  }
  return undefined
}
