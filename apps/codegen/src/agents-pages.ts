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

/** The page for coding agents of each package that users install: the marked parts of its README. */
export const agentsPages: readonly Output[] = folders.map(folder => ({
  path: `${folder}/AGENTS.md`,
  text: () => {
    const [readme, manifest] = ['README.md', 'package.json'].map(name => readFileSync(join(root, folder, name), 'utf8'))
    return agentsPage(readme ?? '', JSON.parse(manifest ?? ''))
  },
}))

/** The fields of a manifest that the page shows. */
interface PackageManifest {
  readonly name: string
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
}

/**
 * Returns the page of a package: the first paragraph of its README, and each part between `<!-- agents: TITLE -->` and
 * `<!-- end of agents -->`, those of one title together.
 */
function agentsPage(readme: string, { name, publishConfig }: PackageManifest): string {
  const [, about] = /^# .*\n\n([\s\S]*?)\n\n/.exec(readme) ?? []
  if (about === undefined) throw new Error(`Begin the README of ${name} with a heading and a paragraph.`)
  const sections = Map.groupBy(partsOf(readme, name), ({ title }) => title)
  const entries = Object.keys(publishConfig.exports).map(path => `- \`${name}${path.slice(1)}\``)
  const more = `Names in the examples that nothing declares, such as \`database\` and \`form\`, belong to your application. The README has
everything else, and the declarations of each entry document its exports and options:

${entries.join('\n')}`
  return [
    `# ${name}`,
    '<!-- Generated from README.md by `npm run generate`; do not edit. -->',
    'For coding agents that use this package.',
    about,
    ...[...sections].map(([title, parts]) => [`## ${title}`, ...parts.map(({ text }) => text)].join('\n\n')),
    '## More',
    `${more}\n`,
  ]
    .join('\n\n')
    .replaceAll('](#', '](README.md#')
}

/** The marked parts of a README, without the names of its code blocks, which only our tests read. */
function partsOf(readme: string, name: string): { title: string; text: string }[] {
  const begins = [...readme.matchAll(/^<!-- agents: (.+) -->$/gm)]
  const parts = [...readme.matchAll(/^<!-- agents: (.+) -->\n([\s\S]*?)\n<!-- end of agents -->$/gm)]
  if (parts.length === 0 || parts.length !== begins.length)
    throw new Error(`Mark what agents need in the README of ${name}: <!-- agents: TITLE --> … <!-- end of agents -->.`)
  return parts.map(([, title = '', text = '']) => {
    if (text.includes('<!-- agents:')) throw new Error(`A part of the README of ${name} begins inside another one.`)
    return { title, text: text.replace(/^<!-- .+ -->\n/gm, '').trim() }
  })
}
