import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import type { StarlightUserConfig } from '@astrojs/starlight/types'
import { pageId, root } from './addresses.ts'
import { titleOf } from './markdown.ts'

/** The heading in `docs/README.md` from which the navigation is made. */
const start = '## All pages'

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>

/** A page that is a topic of its own, with the pages that it links to. */
const errors = 'errors/README.md'

/**
 * The guides in reading order. `docs/README.md` is the table of contents: below `## All pages`, each `###` heading is a group,
 * and each link to a Markdown file of that folder a page of it, labeled by the text of the link. A page named `README.md`
 * heads its folder, and the pages that it links to follow below it.
 */
export const guides: Sidebar = readContents()

/** The errors: their overview, then one page each. */
export const errorPages: Sidebar = [{ label: 'All errors', slug: slugOf(errors) }, ...pagesBelow(errors, new Set())]

function readContents(): Sidebar {
  const text = read('README.md')
  const at = text.indexOf(`\n${start}\n`)
  if (at < 0) throw new Error(`docs/README.md lacks the heading "${start}", from which the navigation is made.`)
  const listed = new Set<string>()
  const groups = text
    .slice(at)
    .split(/\n### /)
    .slice(1)
    .map(section => ({
      label: section.slice(0, section.indexOf('\n')).trim(),
      links: linksIn('', section, listed).filter(({ file }) => file !== errors),
    }))
  // After every file of the front page is known: a page that it lists belongs to no other one.
  return groups
    .filter(({ links }) => links.length > 0)
    .map(({ label, links }) => ({
      label,
      items: links.map(link => entryOf(link, listed)),
    }))
}

function entryOf({ file, text }: Link, listed: Set<string>): Sidebar[number] {
  const entry = { label: text.charAt(0).toUpperCase() + text.slice(1), slug: slugOf(file) }
  const pages = file.endsWith('/README.md') ? pagesBelow(file, listed) : []
  return pages.length === 0 ? entry : { label: entry.label, collapsed: true, items: [entry, ...pages] }
}

/** The pages that a README of a folder links to. */
function pagesBelow(file: string, listed: Set<string>): Sidebar {
  return linksIn(dirname(file), read(file), listed).map(link => ({
    label: titleIn(link.file),
    slug: slugOf(link.file),
  }))
}

/** Returns the label of a page in a folder: its title, or the code that it is about, such as `config`. */
function titleIn(file: string): string {
  const page = read(file)
  return /^# `(\w+)`, /m.exec(page)?.[1] ?? titleOf(page) ?? file
}

/** A link to a Markdown file below `docs`. */
interface Link {
  readonly file: string
  readonly text: string
}

/** Lists the links of a page of a folder to Markdown files that are not listed yet. */
function linksIn(folder: string, page: string, listed: Set<string>): Link[] {
  const links: Link[] = []
  for (const [, text = '', link = ''] of page.matchAll(/\[([^[\]]+)\]\(([^):#]+\.md)(?:#[^)]*)?\)/g)) {
    const file = normalize(join(folder, link))
    if (file.startsWith('..') || listed.has(file)) continue
    listed.add(file)
    links.push({ file, text: text.replaceAll(/\s+/g, ' ') })
  }
  return links
}

function read(file: string): string {
  return readFileSync(join(root, 'docs', file), 'utf8')
}

function slugOf(file: string): string {
  return pageId(`docs/${file}`)
}
