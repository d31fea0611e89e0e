import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Output, root } from './output.ts'

const folders = [
  'packages/publisher-sdk',
  'packages/advertiser-sdk',
  'packages/msw',
  'packages/control-client',
  'packages/conformance',
  'apps/sandbox',
]

/** Writes the AGENTS.md of each published package: its README plus a part for coding agents. */
export const agentsPages: readonly Output[] = folders.map(folder => ({
  path: `${folder}/AGENTS.md`,
  text: () => {
    const [readme, manifest] = ['README.md', 'package.json'].map(name => readFileSync(join(root, folder, name), 'utf8'))
    return agentsPage(readme ?? '', JSON.parse(manifest ?? ''))
  },
}))

interface PackageManifest {
  readonly name: string
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
}

/** Returns a package's page: its README without the code blocks' names, which only our tests read. */
function agentsPage(readme: string, { name, publishConfig }: PackageManifest): string {
  const [title = '', ...body] = readme
    .replace(/^<!-- .+ -->\n/gm, '')
    .trim()
    .split('\n')
  const entries = Object.keys(publishConfig.exports).map(path => `- \`${name}${path.slice(1)}\``)
  return `${title}

<!-- Generated from README.md by \`npm run generate\`; do not edit. -->
${body.join('\n')}

## For coding agents

Names in the examples that nothing declares, such as \`database\` and \`form\`, belong to your application. The declarations of
each entry document its exports and options:

${entries.join('\n')}
`
}
