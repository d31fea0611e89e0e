import { relative } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import type { SatteriProcessorOptions } from '@astrojs/markdown-satteri'
import { base, linkAddress, origin, pageAddress, pageId, root } from './addresses.ts'
import { exampleName, playgroundPath, runRemark } from './playground.ts'
import { tabOf, tabs } from './tabs.ts'

/**
 * Plugins that let the Markdown of the repository stay as a Git host shows it: the first heading becomes the title of the
 * page, and a relative link to a file leads to its page.
 */
export const mdastPlugins: NonNullable<SatteriProcessorOptions['mdastPlugins']> = [
  ({ fileURL }) => {
    const file = fileURL && relative(root, fileURLToPath(fileURL))
    // The reference and the documents of OpenAPI are written for the site.
    if (!file || file.startsWith('..') || file.startsWith('apps/site/')) return null
    let titled = false
    let runs = false
    let inTabs = false
    const ownAddress = origin + pageAddress(pageId(file))
    const follow = (node: { url: string }) => (isRelative(node.url) ? linkAddress(node.url, file) : node.url)
    return {
      name: 'repository-markdown',
      heading(node, context) {
        if (node.depth !== 1 || titled) return
        titled = true
        context.removeNode(node)
      },
      // On a Git host nothing makes a link of a citation.
      text(node, context) {
        const cited = node.value.match(citation)
        if (cited && !context.parent(node).type.startsWith('link'))
          throw new Error(`${file} cites ${cited} without a link to its section of docs/service.md.`)
      },
      // Words that readers search for, and that the page does not use: `<!-- search: webhook -->`.
      html(node, context) {
        runs = node.value === runRemark
        if (node.value === tabs.begin || node.value === tabs.end) inTabs = node.value === tabs.begin
        if (node.value === '<!-- playground -->') context.setProperty(node, 'value', playground)
        const [, dark, light, alt = ''] = themed.exec(node.value) ?? []
        if (dark && light)
          context.replaceNode(node, {
            type: 'paragraph',
            children: [
              { type: 'html', value: '<span class="light:sl-hidden">' },
              { type: 'image', url: dark, alt },
              { type: 'html', value: '</span><span class="dark:sl-hidden">' },
              { type: 'image', url: light, alt },
              { type: 'html', value: '</span>' },
            ],
          })
        const words = /<!-- search: (.+?) -->/.exec(node.value)?.[1]
        if (words) context.setProperty(node, 'value', `<span hidden data-pagefind-weight="10">${words}</span>`)
      },
      code(node, context) {
        const name = runs && exampleName(file, `${node.value}\n`)
        runs = false
        const tab = inTabs ? tabOf(node.lang, file) : undefined
        const after = [name && runButton(name), tab?.end].filter(Boolean)
        if (tab) context.insertBefore(node, { type: 'html', value: tab.begin })
        if (after.length > 0) context.insertAfter(node, { type: 'html', value: after.join('') })
      },
      link(node, context) {
        // A page that a Git host shows leads to itself on the site.
        if (node.url === ownAddress) context.replaceNode(node, node.children)
        else context.setProperty(node, 'url', follow(node))
      },
      definition: (node, context) => context.setProperty(node, 'url', follow(node)),
    }
  },
]

/** A picture in two themes, as a Git host shows it. The site has a switch of its own, and loads the one that is shown. */
const themed = /^<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]*)">\s*<\/picture>$/

const playgroundAddress = `${base}/${playgroundPath}`

/** The page of the playground inside its page of the documentation. */
const playground = `<whole-window class="not-content"><iframe class="playground" src="${playgroundAddress}/index.html" title="The console of a sandbox in this page"></iframe></whole-window>`

/** The place of the button that runs an example. */
const runButton = (name: string) =>
  `<run-example class="not-content" data-worker="${playgroundAddress}/run-example.js" data-example="${name}"></run-example>`

/** Sections of the specification: `Spec 4.3`, `Spec 2.4, 2.12`, `Spec 4.1 rule 2`, `Spec 6.1 and 6.2`. */
export const citation = /\bSpec \d+(?:\.\d+)?(?:(?: rule \d+)?(?:, (?:and )?| and | to | against )\d+(?:\.\d+)?)*/g

/** Returns the first heading of a page, which is its title. */
export function titleOf(markdown: string): string | undefined {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '')
}

const isRelative = (url: string) => !/^([a-z]+:|[#/])/.test(url)
