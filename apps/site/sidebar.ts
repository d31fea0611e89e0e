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
  const groups = text
    .slice(at)
    .split(/\n### /)
    .slice(1)
    .map(section => ({
      title: section.slice(0, section.indexOf('\n')).trim(),
      files: filesIn('', section, listed),
    }))
  // After every file of the front page is known: a page that it lists belongs to no other one.
  return groups
    .map(({ title, files }) => ({
      title,
      pages: files.map(file => pageOf(docs, file, listed)),
    }))
    .filter(({ pages }) => pages.length > 0)
}

function pageOf(docs: string, file: string, listed: Set<string>): Page {
  const page = readFileSync(join(docs, file), 'utf8')
  const below = file.endsWith('/README.md') ? filesIn(dirname(file), page, listed) : []
  return {
    id: pageId(`docs/${file}`),
    title: titleOf(page) ?? file,
    children: below.map(child => pageOf(docs, child, listed)),
  }
}

/** Lists the Markdown files that a page of a folder links to and that are not listed yet. */
function filesIn(folder: string, text: string, listed: Set<string>): string[] {
  const files: string[] = []
  for (const [, link = ''] of text.matchAll(/\]\(([^):#]+\.md)(?:#[^)]*)?\)/g)) {
    const file = normalize(join(folder, link))
    if (file.startsWith('..') || listed.has(file)) continue
    listed.add(file)
    files.push(file)
  }
  return files
}
