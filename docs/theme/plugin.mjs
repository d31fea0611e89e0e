// What TypeDoc's default theme lacks for a site of guides: addresses like the files', titles, reading order, a search that
// finds guides, and the files that browsers, search engines and language models ask for.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, DefaultTheme, IndexEvent, JSX, KindRouter, ReflectionKind, RendererEvent } from 'typedoc'
import { addressOf, pathsOf, readContents } from './contents.mjs'
import { readReference, throwsList } from './reference.mjs'
import { addSearchFields } from './search.mjs'
import { linkSections, readSections } from './sections.mjs'
import { writeSiteFiles } from './site-files.mjs'

const docs = dirname(dirname(fileURLToPath(import.meta.url)))

/** Pages are where their files are: `guides/first-lead.md` becomes `guides/first-lead.html`. */
class FileRouter extends KindRouter {
  getIdealBaseName(reflection) {
    if (reflection.isDocument?.()) return addressOf(pathOf(reflection))
    return super.getIdealBaseName(reflection)
  }
}

/** The guides in reading order, then the packages. */
class GuideTheme extends DefaultTheme {
  buildNavigation(project) {
    const byPath = new Map((project.documents ?? []).map(document => [pathOf(document), document]))
    const toElement = ({ path, children }) => {
      const document = byPath.get(path)
      return {
        text: document.name,
        path: this.router.getFullUrl(document),
        kind: ReflectionKind.Document,
        ...(children.length > 0 && { children: children.map(toElement) }),
      }
    }
    const groups = readContents(docs).map(({ title, pages }) => ({ text: title, children: pages.map(toElement) }))
    const packages = super.buildNavigation(project).filter(({ kind }) => kind !== ReflectionKind.Document)
    return [...groups, { text: 'Packages', children: packages.map(withShortNames) }]
  }
}

/** Entries of a package are below it by the rest of their path: `./callbacks`, in no folder that repeats its name. */
function withShortNames(element) {
  const children = element.children?.flatMap(child =>
    child.path || !child.text.startsWith('@')
      ? [child]
      : (child.children ?? []).map(inner => ({ ...inner, text: `./${inner.text}` })),
  )
  return {
    ...element,
    text: element.text.replace(/^@[^/]+\/[^/]+\//, './'),
    ...(children && { children: children.map(withShortNames) }),
  }
}

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.defineRouter('files', FileRouter)
  app.renderer.defineTheme('guides', GuideTheme)
  app.on(Application.EVENT_PROJECT_REVIVE, readReference)
  readSections(app)
  // After the router has taken the addresses from the files' names.
  app.renderer.on(
    RendererEvent.BEGIN,
    ({ project }) => {
      checkListed(project.documents ?? [])
      linkSections(project, docs)
      for (const document of project.documents ?? []) {
        registerAnchors(app.renderer.router.getSlugger(document), document)
        document.name = titleOf(document)
      }
    },
    100,
  )
  app.renderer.on(IndexEvent.PREPARE_INDEX, event => addSearchFields(event))
  app.renderer.hooks.on('comment.beforeTags', throwsList)
  app.renderer.hooks.on('head.end', ({ page }) => markdownLink(page))
  app.renderer.on(RendererEvent.END, ({ project, outputDirectory }) => {
    const base = new URL(app.options.getValue('hostedBaseUrl')).pathname
    mkdirSync(join(outputDirectory, 'media'), { recursive: true })
    for (const name of ['loop-light.svg', 'loop-dark.svg'])
      copyFileSync(join(docs, 'media', name), join(outputDirectory, 'media', name))
    writeSiteFiles({ docs, out: outputDirectory, groups: readContents(docs), titles: titlesOf(project), base })
  })
}

const titlesOf = project => new Map((project.documents ?? []).map(document => [pathOf(document), document.name]))
const paths = new WeakMap()

/** The path of a document's file below `docs`, without its ending. */
function pathOf(document) {
  if (!paths.has(document)) paths.set(document, document.name)
  return paths.get(document)
}

function titleOf(document) {
  const title = /^# (.+)$/m.exec(readFileSync(join(docs, `${pathOf(document)}.md`), 'utf8'))?.[1]
  if (!title) throw new Error(`docs/${pathOf(document)}.md has no title: begin it with "# Title".`)
  return title.replaceAll('`', '')
}

/** Makes the anchors that a page writes itself known to the check of links. */
function registerAnchors(slugger, { content }) {
  for (const { text } of content) for (const [, id] of text.matchAll(/<a id="([^"]+)">/g)) slugger.slug(id)
}

function checkListed(documents) {
  const listed = new Set(pathsOf(readContents(docs)))
  const missing = documents.map(pathOf).filter(path => !listed.delete(path))
  if (missing.length > 0)
    throw new Error(`docs/README.md does not list ${missing.join(', ')}: link each below "## All pages".`)
  if (listed.size > 0)
    throw new Error(`docs/README.md lists ${[...listed].join(', ')}, which docs/typedoc.json does not include.`)
}

/** Where the same page is as Markdown, for a reader that is a program. */
function markdownLink(page) {
  if (!page.model.isDocument?.()) return JSX.createElement(JSX.Fragment, null)
  const name = page.url.split('/').at(-1).replace(/html$/, 'md')
  return JSX.createElement('link', { rel: 'alternate', type: 'text/markdown', href: name })
}
