import { describe, expect, it } from 'vitest'
import { ConfigError } from './errors.ts'

/**
 * A call with one unknown option. `meant` is the known name that the error suggests, if any. `make` spreads its
 * argument into the options; `sends` counts the client's requests.
 */
export type OptionCall = readonly [call: string, unknown: string, meant: string, make: (more: object) => unknown]

/** Declares tests that every function and method of an SDK refuses unknown options without sending anything. */
export function testClosedOptions({ calls, exported, methods, withoutOptions, sent }: ClosedOptions): void {
  describe('refuses an unknown option or field, suggests the known one, and sends nothing', () => {
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

  it.each(calls)('%s accepts all of its known options: %s', async (_call, _unknown, _meant, make) => {
    expect(String(await errorOf(() => make({})))).not.toContain('does not know')
  })

  it('covers every exported function and method', () => {
    const functions = Object.entries(exported).filter(
      ([name, value]) => typeof value === 'function' && !name.endsWith('Error'),
    )
    const tried = new Set([...withoutOptions, ...calls.map(([call]) => call)])
    expect([...functions.map(([name]) => name), ...methods].filter(name => !tried.has(name))).toEqual([])
  })
}

interface ClosedOptions {
  readonly calls: readonly OptionCall[]
  /** Every export of the SDK's entry points. */
  readonly exported: object
  /** The client's methods. */
  readonly methods: readonly string[]
  /** Functions that accept a value, a request or user-defined names, and no options. */
  readonly withoutOptions: readonly string[]
  /** The arguments that the client passed to `fetch`. */
  readonly sent: unknown[]
}

/** Returns the error that a call throws or rejects with. */
async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make()
  } catch (error) {
    return error
  }
  return undefined
}
