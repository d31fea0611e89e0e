// Files beside the pages: each page as Markdown, `llms.txt`, the page for addresses that do not exist.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, normalize, relative } from 'node:path'
import { addressOf, pathsOf } from './contents.mjs'

/** @param {{ docs: string, out: string, groups: import('./contents.mjs').Group[], titles: Map<string, string>, base: string }} site */
export function writeSiteFiles({ docs, out, groups, titles, base }) {
  const pages = pathsOf(groups)
  for (const path of pages) {
    const target = join(out, `${addressOf(path)}.md`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, withSiteLinks(readFileSync(join(docs, `${path}.md`), 'utf8'), path, { docs, out, pages }))
  }
  writeFileSync(join(out, 'llms.txt'), llmsText(docs, groups, titles))
  writeFileSync(join(out, '404.html'), notFoundPage(readFileSync(join(out, 'index.html'), 'utf8'), base))
}

const repository = 'https://github.com/lead-distribution/toolkit/blob/main/docs/'

/** A page with links that lead on from the site: to its other pages, to files that come with it, else to the repository. */
function withSiteLinks(text, path, { docs, out, pages }) {
  const follow = link => {
    const target = normalize(join(dirname(path), link))
    const page = target.replace(/\.md$/, '')
    if (pages.includes(page)) return relative(dirname(path), `${addressOf(page)}.md`)
    if (target.startsWith('..') || extname(target) === '.md') return new URL(target, repository).href
    mkdirSync(dirname(join(out, target)), { recursive: true })
    copyFileSync(join(docs, target), join(out, target))
    return link
  }
  const prose = part => part.replaceAll(/(?<=\]\()(?![a-z]+:)[^)#\s]+/g, follow)
  return text.replaceAll(/(```[\s\S]*?\n```)|[^`]+|`/g, (part, code) => code ?? prose(part))
}

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
  const paragraph = text.split(/\n\s*\n/).find(part => /^[A-Z*[`]/.test(part.trim())) ?? ''
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
