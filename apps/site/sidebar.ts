import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import type { StarlightUserConfig } from '@astrojs/starlight/types'
import { pageId, root } from './addresses.ts'
import { titleOf } from './markdown.ts'

/** The heading in `docs/README.md` from which the navigation is made. */
const start = '## All pages'

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>

/** The pages in reading order, as `docs/README.md` lists them. */
export const sidebar: Sidebar = readContents(`${root}docs`).map(({ title, pages }) => ({
  label: title,
  items: pages.map(entryOf),
}))

function entryOf({ id, title, children }: Page): Sidebar[number] {
  // A page about a code, such as `config`, is listed by it.
  const [, code] = /^`(\w+)`, /.exec(title) ?? []
  if (children.length === 0) return code ? { label: code, slug: id } : id
  return { label: title, collapsed: true, items: [id, ...children.map(entryOf)] }
}

/** A page of the site, by its file below `docs`. */
interface Page {
  readonly id: string
  readonly title: string
  readonly children: readonly Page[]
}

/** Pages below a heading. */
interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

/**
 * Reads the order of the pages. `docs/README.md` is the table of contents: below `## All pages`, each `###` heading is a
 * group, and each link to a Markdown file of that folder a page of it. A page named `README.md` heads its folder, and the
 * pages that it links to follow below it.
 */
function readContents(docs: string): readonly Group[] {
  const text = readFileSync(join(docs, 'README.md'), 'utf8')
  const at = text.indexOf(`\n${start}\n`)
  if (at < 0) throw new Error(`docs/README.md lacks the heading "${start}", from which the navigation is made.`)
  const listed = new Set<string>()
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

function pagesOf(docs: string, folder: string, text: string, listed: Set<string>): readonly Page[] {
  const files: string[] = []
  for (const [, link = ''] of text.matchAll(/\]\(([^):#]+\.md)(?:#[^)]*)?\)/g)) {
    const file = normalize(join(folder, link))
    if (file.startsWith('..') || listed.has(file)) continue
    listed.add(file)
    files.push(file)
  }
  // After all of this level are known: a page belongs where it is listed first.
  return files.map(file => {
    const page = readFileSync(join(docs, file), 'utf8')
    return {
      id: pageId(`docs/${file}`),
      title: titleOf(page) ?? file,
      children: file.endsWith('/README.md') ? pagesOf(docs, dirname(file), page, listed) : [],
    }
  })
}
