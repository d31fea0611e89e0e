// The order of the pages. `docs/README.md` is the table of contents: below `## All pages`, each `###` heading is a group,
// and each link to a Markdown file of this folder a page of it. A page named `README.md` heads its folder, and the pages
// that it links to follow below it.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'

const start = '## All pages'

/**
 * @typedef {{ path: string, children: Page[] }} Page A file below `docs`, without `.md`.
 * @typedef {{ title: string, pages: Page[] }} Group
 */

/** @returns {Group[]} */
export function readContents(docs) {
  const text = readFileSync(join(docs, 'README.md'), 'utf8')
  const at = text.indexOf(`\n${start}\n`)
  if (at < 0) throw new Error(`docs/README.md lacks the heading "${start}", from which the navigation is made.`)
  const listed = new Set()
  return text
    .slice(at)
    .split(/\n### /)
    .slice(1)
    .map(section => ({
      title: section.slice(0, section.indexOf('\n')).trim(),
      pages: pagesOf(docs, '', section, listed),
    }))
    .filter(({ pages }) => pages.length > 0)
}

/** The paths of all pages, in reading order. */
export function pathsOf(groups) {
  const paths = pages => pages.flatMap(({ path, children }) => [path, ...paths(children)])
  return groups.flatMap(({ pages }) => paths(pages))
}

/** The address of a page, without its ending: a README heads its folder. */
export const addressOf = path => path.replace(/README$/, 'index')

function pagesOf(docs, folder, text, listed) {
  const pages = []
  for (const [, link] of text.matchAll(/\]\(([^):#]+)\.md(?:#[^)]*)?\)/g)) {
    const path = normalize(join(folder, link))
    if (path.startsWith('..') || listed.has(path)) continue
    listed.add(path)
    pages.push({ path, children: [] })
  }
  // After all of this level are known: a page belongs where it is listed first.
  for (const page of pages)
    if (page.path.endsWith('/README'))
      page.children = pagesOf(docs, dirname(page.path), readFileSync(join(docs, `${page.path}.md`), 'utf8'), listed)
  return pages
}
