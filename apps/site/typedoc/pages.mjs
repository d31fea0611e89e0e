// The pages of the reference: one for each function, client and large type; the small types of a package share a page, and
// so do its errors. The package's own page lists every export by what a reader wants.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DeclarationReflection, PageEvent, ReflectionFlag, ReflectionKind, RendererEvent } from 'typedoc'
import { MemberRouter } from 'typedoc-plugin-markdown'
import { packages, referenceId } from '../addresses.ts'

/** The navigation of the reference, which Starlight reads. */
const sidebarFile = fileURLToPath(new URL('../.astro/reference-sidebar.json', import.meta.url))

/** The order of `@category` on a page. */
const order = ['Client', 'Leads', 'Reports', 'Results', 'Errors', 'Callbacks', 'Testing', 'Sandbox', 'Options']
/** An interface with more members than this has a page of its own. */
const sharedMembers = 12

const isPackageOrEntry = reflection => reflection.kindOf(ReflectionKind.Module)
const isError = reflection => reflection.kindOf(ReflectionKind.Class) && reflection.name.endsWith('Error')
const isSmallType = reflection =>
  reflection.kindOf(ReflectionKind.TypeAlias) ||
  (reflection.kindOf(ReflectionKind.Interface) &&
    reflection.children?.length <= sharedMembers &&
    reflection.children.every(child => child.kindOf(ReflectionKind.Property)))

/** The pages that several exports share: their titles, and the exports that are on them. */
const sharedPages = [
  ['errors', isError],
  ['types', isSmallType],
]
const isShared = reflection => sharedPages.some(([name]) => name === reflection?.name) && isPackageOrEntry(reflection)

/** The category of each export, by its id. TypeDoc takes the tags away. */
const categories = new Map()

/** Remembers the categories, as long as modules are what was converted. */
export function readCategories(project) {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module))
    for (const { title, children } of module.categories ?? [])
      for (const { id } of children) if (order.includes(title)) categories.set(id, title)
}

const categoryOf = ({ id }) => categories.get(id) ?? 'Other'

/** Arranges the exports on pages, and hides what a class only inherits behind links to it. */
export function arrangePages(project) {
  // As long as they have what they inherit.
  const shared = sharedPages.map(([name, shares]) => [name, new Set(Object.values(project.reflections).filter(shares))])
  for (const reflection of project.getReflectionsByKind(ReflectionKind.ClassOrInterface))
    linkInherited(project, reflection)
  for (const module of project.getReflectionsByKind(ReflectionKind.Module))
    for (const [name, members] of shared)
      share(project, module, name, module.children?.filter(child => members.has(child)) ?? [])
}

function share(project, module, name, children) {
  if (children.length < 2) return
  const page = new DeclarationReflection(name, ReflectionKind.Module, module)
  project.registerReflection(page)
  page.children = children
  for (const child of children) child.parent = page
  module.children = [...module.children.filter(child => !children.includes(child)), page]
}

/** The members that a type has from one that is described elsewhere. */
const inheritedMembers = new Map()

/** Leaves a type its own members, and remembers those that it has from one that is described elsewhere. */
function linkInherited(project, reflection) {
  const isDocumented = type => type?.reflection && project.getReflectionById(type.reflection.id)
  // Each error has its own `is`, which does the same.
  const baseOf = child =>
    child.inheritedFrom ?? (isError(reflection) && child.name === 'is' ? child.overwrites : undefined)
  const inherited = (reflection.children ?? []).filter(child => isDocumented(baseOf(child)))
  const targets = inherited.map(child => baseOf(child).reflection)
  // The name of an error is that of its class.
  const repeated = isError(reflection) ? reflection.children.filter(child => child.name === 'name') : []
  for (const child of [...inherited, ...repeated]) project.removeReflection(child)
  for (const child of reflection.children ?? [])
    for (const each of [child, child.getSignature, ...(child.signatures ?? [])])
      if (each) each.inheritedFrom = each.overwrites = undefined
  for (const group of reflection.groups ?? [])
    group.children = group.children.filter(child => reflection.children?.includes(child))
  reflection.groups = reflection.groups?.filter(({ children }) => children.length > 0)
  if (isError(reflection)) reflection.setFlag(ReflectionFlag.Abstract, false)
  reflection.extendedTypes = reflection.extendedTypes?.filter(isDocumented)
  if (!reflection.extendedTypes?.length) reflection.typeHierarchy = undefined
  if (targets.length > 0) inheritedMembers.set(reflection, targets)
}

/** Writes the address of an export that shares a page as a part of that page. */
class PagesRouter extends MemberRouter {
  buildChildPages(reflection, pages) {
    if (!isShared(reflection.parent)) return super.buildChildPages(reflection, pages)
    const page = reflection.parent
    this.buildAnchors(reflection, page)
    // A method has a heading of its own, which is its name.
    for (const child of reflection.children ?? []) {
      if (!child.kindOf([ReflectionKind.Method, ReflectionKind.Accessor])) continue
      this.anchors.set(child, child.name.toLowerCase())
      this.fullUrls.set(child, `${this.fullUrls.get(page)}#${child.name.toLowerCase()}`)
    }
  }

  getIdealBaseName(reflection) {
    if (!isShared(reflection)) return super.getIdealBaseName(reflection)
    return super.getIdealBaseName(reflection.parent).replace(/[^/]*$/, `${reflection.name}/index`)
  }
}

/** Teaches TypeDoc these pages and their navigation. */
export function writePages(app) {
  app.renderer.defineRouter('pages', PagesRouter)
  app.renderer.on(PageEvent.END, page => {
    if (!page.contents || !(page.model.isProject() || isPackageOrEntry(page.model))) return
    // Set: the frontmatter is written.
    page.frontmatter = {}
    const toc = isShared(page.model) ? 'tableOfContents:\n  maxHeadingLevel: 2\n' : ''
    page.contents = `---\neditUrl: false\nprev: false\nnext: false\ntitle: "${titleOf(page.model)}"\n${toc}---\n\n${page.contents}`
  })
  app.renderer.on(RendererEvent.END, ({ pages, project }) => {
    const links = new Map(pages.map(({ model, url }) => [model, `/${referenceId(`reference/${url}`)}/`]))
    writeFileSync(sidebarFile, JSON.stringify(packagesOf(project).map(module => sidebarOf(module, links))))
  })
}

/**
 * Lets the first page list the packages, the page of a package its exports by category, and a type its inherited
 * members last.
 */
export function listByCategory(app) {
  const list = context => {
    const { partials } = context
    const { body } = partials
    partials.body = (model, options) => {
      if (model.isProject()) return partials.groupIndex({ children: packagesOf(model) })
      if (isShared(model)) return partials.members(model.children, options)
      if (!isPackageOrEntry(model)) {
        const links = inheritedMembers.get(model)?.map(target => `[\`${target.name}\`](${context.urlTo(target)})`)
        const heading = `${'#'.repeat(options.headingLevel)} Inherited members`
        return links ? `${body(model, options)}\n\n${heading}\n\n${links.join(', ')}` : body(model, options)
      }
      const groups = categoriesOf(model)
      const entries = entriesOf(model)
      if (entries.length > 0) groups.push(['Other entry points', entries])
      const tables = groups.map(([title, children]) => `## ${title}\n\n${partials.groupIndex({ children })}`)
      return groups.length > 1 ? tables.join('\n\n') : tables.join('').replace(/^## .*\n\n/, '')
    }
    return ''
  }
  app.renderer.markdownHooks.on('index.page.begin', list)
  app.renderer.markdownHooks.on('page.begin', list)
}

/** The packages in the order in which the site presents them. */
const packagesOf = project =>
  Object.keys(packages).flatMap(name => project.children.filter(child => child.name === name))

/** `publisher-sdk`, `publisher-sdk/callbacks`, `publisher-sdk: types` */
function titleOf(module) {
  if (module.isProject()) return 'SDK reference'
  if (module.parent.isProject()) return module.name
  return isShared(module) ? `${titleOf(module.parent)}: ${module.name}` : `${titleOf(module.parent)}/${module.name}`
}

/** The exports of a package or an entry, also those on shared pages, in the order of a reader's questions. */
function categoriesOf(module) {
  const exported = (module.children ?? []).flatMap(child =>
    isShared(child) ? child.children : child.isReference() ? child.getTargetReflectionDeep() : child,
  )
  const sorted = exported.filter(child => !isPackageOrEntry(child)).sort((one, other) => placeOf(one) - placeOf(other))
  const groups = Object.groupBy(sorted, categoryOf)
  return [...order, 'Other'].flatMap(title => (groups[title] ? [[title, groups[title]]] : []))
}

/** First what a program calls, then what it gets or passes. */
const kinds = [ReflectionKind.Function, ReflectionKind.Class, ReflectionKind.Interface, ReflectionKind.Variable]
const placeOf = reflection => (isShared(reflection.parent) ? kinds.length : kinds.indexOf(reflection.kind))

const entriesOf = module => (module.children ?? []).filter(child => isPackageOrEntry(child) && !isShared(child))

/** Returns the navigation of a package: its pages by category, its shared pages, its further entries. */
function sidebarOf(module, links) {
  const linkTo = (child, label = child.name) => (links.has(child) ? [{ label, link: links.get(child) }] : [])
  const groups = categoriesOf(module)
    .map(([label, children]) => ({ label, items: children.flatMap(child => linkTo(child)) }))
    .filter(({ items }) => items.length > 0)
  return {
    label: titleOf(module),
    collapsed: true,
    items: [
      ...linkTo(module, 'Overview'),
      ...(groups.length > 1 ? groups : groups.flatMap(({ items }) => items)),
      ...module.children.filter(isShared).flatMap(page => linkTo(page, `All ${page.name}`)),
      ...entriesOf(module).map(entry => sidebarOf(entry, links)),
    ],
  }
}
