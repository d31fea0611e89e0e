import { vi } from 'vitest'
import { run } from './program.ts'

/** Runs `certify` to completion in this process, on a free port; `checks` are from its `--json` output. */
export async function certify(...args: string[]) {
  const printed = vi.spyOn(console, 'log').mockReturnValue()
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const refused = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const code = await run(['certify', ...args, '--port', '0'])
    const text = (calls: readonly unknown[][]) => calls.flat().join('\n')
    const stdout = text(printed.mock.calls)
    const { checks }: { checks: readonly Record<string, string>[] } = stdout.startsWith('{')
      ? JSON.parse(stdout)
      : { checks: [] }
    return { code, stdout, stderr: text([...said.mock.calls, ...refused.mock.calls]), checks }
  } finally {
    vi.restoreAllMocks()
  }
}

/** Returns the flags that select only these checks. */
export const only = (...ids: string[]) => ids.flatMap(id => ['--only', id])
