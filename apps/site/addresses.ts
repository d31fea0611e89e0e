import { existsSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The address that the site is published at. */
export const origin = 'https://lead-distribution.github.io'
export const base = '/toolkit'

/** The address of the repository. */
export const repository = 'https://github.com/lead-distribution/toolkit'

/** The packages that users install: each has its README and its reference on the site. */
export const packages = {
  'publisher-sdk': 'packages/publisher-sdk',
  'advertiser-sdk': 'packages/advertiser-sdk',
  msw: 'packages/msw',
  'control-client': 'packages/control-client',
  conformance: 'packages/conformance',
  sandbox: 'apps/sandbox',
}

/** The Markdown files that become pages, as globs below the root. */
export const pages = [
  'docs/*.md',
  'docs/{concepts,quick-starts,guides,sdks,sandbox,errors,languages,recipes}/**/*.md',
  '!docs/{maintaining,writing}.md',
  ...Object.values(packages).map(folder => `${folder}/README.md`),
]

/** Returns the id of a page, which is its path on the site: the file's own, a README heading its folder. */
export function pageId(file: string): string {
  for (const [name, folder] of Object.entries(packages)) if (file === `${folder}/README.md`) return `packages/${name}`
  const path = file.replace(/^docs\//, '').replace(/\.mdx?$/, '')
  return path === 'README' ? 'index' : path.replace(/\/README$/, '')
}

/** Returns the id of a page that is written below `src/content/docs`, by its path there. */
export const referenceId = (path: string) =>
  path
    .replace(/(\/index)?\.mdx?$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9/_-]/g, '')

/** Returns the address of a page of the site, by its id. */
export const pageAddress = (id: string) => (id === 'index' ? `${base}/` : `${base}/${id}/`)

/** Returns true if a file of the repository is a page of the site. */
function isPage(file: string): boolean {
  const [left, taken] = [pages.filter(isExcluded), pages.filter(glob => !isExcluded(glob))]
  return taken.some(glob => matchesGlob(file, glob)) && !left.some(glob => matchesGlob(file, glob.slice(1)))
}

const isExcluded = (glob: string) => glob.startsWith('!')

/**
 * Returns the address that a relative link in a file of the repository leads to: a page of the site if the file is one,
 * otherwise the file in the repository. Throws if there is no such file.
 */
export function linkAddress(link: string, from: string): string {
  const [path = '', anchor] = link.split('#')
  const file = normalize(join(dirname(from), decodeURIComponent(path))).replace(/\/$/, '')
  if (!existsSync(join(root, file))) throw new Error(`${from} links to ${link}, which does not exist.`)
  const page = [file, `${file}/README.md`].find(each => isPage(each) && existsSync(join(root, each)))
  const address = page ? pageAddress(pageId(page)) : `${repository}/blob/main/${file}`
  return anchor ? `${address}#${anchor}` : address
}
