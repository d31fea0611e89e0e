// Files beside the pages: each page as Markdown, `llms.txt`, the page for addresses that do not exist.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { addressOf, pathsOf } from './contents.mjs'

/** @param {{ docs: string, out: string, groups: import('./contents.mjs').Group[], titles: Map<string, string>, base: string, repository: string }} site */
export function writeSiteFiles({ docs, out, groups, titles, base, repository }) {
  const paths = pathsOf(groups)
  for (const path of paths) {
    const target = join(out, `${addressOf(path)}.md`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, withSiteLinks({ docs, path, paths, repository }))
  }
  writeFileSync(join(out, 'llms.txt'), llmsText(docs, groups, titles))
  writeFileSync(join(out, '404.html'), notFoundPage(readFileSync(join(out, 'index.html'), 'utf8'), base))
}

/** A page whose links lead to the pages of the site, and those to other files to the repository. */
function withSiteLinks({ docs, path, paths, repository }) {
  const folder = dirname(join(docs, path))
  return readFileSync(join(docs, `${path}.md`), 'utf8').replaceAll(linkTarget, to => {
    const file = join(folder, to)
    if (!existsSync(file)) return to
    const page = relative(docs, file).replace(/\.md$/, '')
    if (paths.includes(page)) return relative(dirname(path), `${addressOf(page)}.md`)
    return `${repository}/blob/main/${relative(dirname(docs), file)}`
  })
}

/** The file that a link leads to, without its anchor: `[text](file#anchor)`, or `[text]: file#anchor` below the text. */
const linkTarget = /(?<=\]\(|^\[[^\]]+\]: )[^)#:\s]+/gm

/** https://llmstxt.org: what this is, and every page as Markdown with its first sentence. */
function llmsText(docs, groups, titles) {
  const lines = ['# Lead distribution toolkit', '', `> ${firstSentence(docs, 'README')}`]
  const add = (page, indent) => {
    lines.push(`${indent}- [${titles.get(page.path)}](${addressOf(page.path)}.md): ${firstSentence(docs, page.path)}`)
    for (const child of page.children) add(child, indent)
  }
  for (const { title, pages } of groups) {
    lines.push('', `## ${title}`, '')
    for (const page of pages) add(page, '')
  }
  return `${lines.join('\n')}\n`
}

function firstSentence(docs, path) {
  const text = readFileSync(join(docs, `${path}.md`), 'utf8').replaceAll(/<!--[\s\S]*?-->/g, '')
  const paragraph = text.split(/\n\s*\n/).find(part => /^(?!```)[\w*[`]/.test(part.trim())) ?? ''
  return paragraph
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/(?<=\.) .*$/, '')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
}

/** The front page's frame around a sentence. A server shows it at any depth, so its addresses begin at the root. */
function notFoundPage(frontPage, base) {
  const content = `<h1>There is no page at this address</h1>
<p>Search with the key <kbd>/</kbd>, or start at the <a href="${base}">front page</a>.</p>`
  return frontPage
    .replace(/<title>.*?<\/title>/, '<title>Page not found</title>')
    .replaceAll(/ (href|src)="(?!https?:|#|\/)(?:\.\/)?/g, ` $1="${base}`)
    .replace(/data-base="[^"]*"/, `data-base="${base}"`)
    .replace(
      /(<div class="col-content">)[\s\S]*?(<div class="col-sidebar">)/,
      `$1<div class="tsd-panel tsd-typography">${content}</div></div>$2`,
    )
}
