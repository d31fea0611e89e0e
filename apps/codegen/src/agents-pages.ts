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

/** The page for coding agents of each package that users install: its README, and what else it has. */
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

/** Returns the page of a package: its README without the names of its code blocks, which only our tests read. */
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
