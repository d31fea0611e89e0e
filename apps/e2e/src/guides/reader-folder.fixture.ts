import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../architecture/root.ts'

/** Makes an empty folder that of a reader who has installed our packages, vitest, Express, msw and Playwright. */
export async function installPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'apps/e2e/node_modules/@lead-distribution'), join(modules, '@lead-distribution'))
  await symlink(join(root, 'node_modules/vitest'), join(modules, 'vitest'))
  await symlink(join(root, 'node_modules/.bin/vitest'), join(modules, '.bin/vitest'))
  for (const name of ['msw', '@playwright']) {
    await symlink(join(root, 'apps/e2e/node_modules', name), join(modules, name))
  }
  for (const name of ['express', '@types']) {
    await symlink(join(root, 'packages/publisher-sdk/node_modules', name), join(modules, name))
  }
}

/**
 * Puts the command line, from its sources, and jq into a reader's folder; answers the environment that finds it. The sandbox is
 * at a port instead of the documented one, without that the guide's commands have to say so.
 */
export async function installCommands(folder: string, port: string): Promise<Record<string, string>> {
  const bin = join(folder, 'node_modules/.bin')
  const program = `#!/bin/sh
case "$*" in
  *--port*) ;;
  start*|certify*) set -- "$@" --port ${port} ;;
esac
exec node '${join(root, 'apps/sandbox/src/main.ts')}' "$@"
`
  await writeFile(join(bin, 'lead-sandbox'), program, { mode: 0o755 })
  const jq = `#!/bin/sh\nexec node '${join(root, 'apps/e2e/src/guides/jq-command.ts')}' "$@"\n`
  await writeFile(join(bin, 'jq'), jq, { mode: 0o755 })
  return {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    LEAD_SANDBOX_URL: `http://127.0.0.1:${port}`,
  }
}
