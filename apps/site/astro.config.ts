import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import type { StarlightUserConfig } from '@astrojs/starlight/types'
import { defineConfig } from 'astro/config'
import llmsTxt from 'starlight-llms-txt'
import openApi, { openAPISidebarGroups } from 'starlight-openapi'
import sidebarTopics from 'starlight-sidebar-topics'
import { createStarlightTypeDocPlugin, type StarlightTypeDocOptions } from 'starlight-typedoc'
import { base, origin, packages, root } from './addresses.ts'
import { writeHttpDocuments } from './http-documents.ts'
import { mdastPlugins } from './markdown.ts'
import { errorPages, guides } from './sidebar.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

const documents = writeHttpDocuments()

/** The code samples of the HTTP API: a program uses an SDK. */
const snippets = { operation: { clients: { shell: ['curl'] } }, requestBody: false } as const
/** Their entries in the navigation. */
const operations = { badges: true }

/** The faults of the reference that end the build. `npm run build` has checked the types. */
const documented = {
  skipErrorChecking: true,
  validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: true },
  requiredToBeDocumented: ['Enum', 'Variable', 'Class', 'Interface', 'TypeAlias'],
} satisfies NonNullable<StarlightTypeDocOptions['typeDoc']>

const ofPages = { disableSources: true, readme: 'none' } satisfies StarlightTypeDocOptions['typeDoc']

/** The look of code blocks. */
const code = {
  themes: ['github-light', 'github-dark-default'],
  // A bar above a command says nothing: what has a name has a tab.
  defaultProps: { wrap: true, overridesByLang: { sh: { frame: 'none' } } },
  styleOverrides: {
    borderColor: 'var(--line)',
    borderRadius: 'var(--radius)',
    codeBackground: 'var(--raised)',
    codeFontFamily: 'var(--mono)',
    codeFontSize: '0.8125rem',
    uiFontFamily: 'var(--sans)',
    frames: {
      frameBoxShadowCssValue: 'none',
      editorTabBarBackground: 'var(--sunken)',
      editorTabBarBorderColor: 'var(--line)',
      editorTabBarBorderBottomColor: 'var(--line)',
      editorActiveTabBackground: 'var(--raised)',
      editorActiveTabBorderColor: 'var(--line)',
      editorActiveTabIndicatorTopColor: 'transparent',
      editorActiveTabIndicatorBottomColor: 'transparent',
    },
  },
  // The pages of the HTTP API highlight code by themselves.
  removeUnusedThemes: false,
} satisfies StarlightUserConfig['expressiveCode']

/** Scrolls a long sidebar to the current page. */
const showCurrentPage = `const pane = document.querySelector('.sidebar-pane')
const link = pane?.querySelector('[aria-current="page"]')
const below = link ? link.getBoundingClientRect().top - pane.getBoundingClientRect().bottom : -Infinity
if (below > -40) pane.scrollTop += below + pane.clientHeight / 2`

const [typeDoc, referenceSidebar] = createStarlightTypeDocPlugin()

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>

/** Replaces the navigation that the plugin of TypeDoc makes, by kind, with that of the pages, by category. */
const withReference = (sidebar: Sidebar): Sidebar =>
  sidebar.flatMap(item => {
    if (typeof item === 'string' || !('items' in item)) return item
    if (item.label === reference) return JSON.parse(readFileSync(`${here}.astro/reference-sidebar.json`, 'utf8'))
    return { ...item, items: withReference(item.items) }
  })
const reference = 'Reference'

export default defineConfig({
  site: origin,
  base,
  // Each picture in sizes for phones and desktops.
  image: { layout: 'constrained' },
  // Satteri loads a binary of its own. Pages share their scripts.
  vite: { ssr: { external: ['satteri'] }, build: { assetsInlineLimit: 0 } },
  markdown: { processor: satteri({ mdastPlugins }) },
  integrations: [
    starlight({
      title: 'Lead distribution toolkit',
      description: 'Test integrations with a lead distribution service without touching production.',
      favicon: '/favicon.svg',
      logo: { src: './public/favicon.svg', alt: '' },
      social: [{ icon: 'github', label: 'GitHub', href: 'https://github.com/lead-distribution/toolkit' }],
      // By the text of a page: a symbol would come first for having the word in its name.
      pagefind: { ranking: { metaWeights: { title: 0 } } },
      head: [{ tag: 'script', attrs: { type: 'module' }, content: showCurrentPage }],
      components: {
        Banner: './src/components/Banner.astro',
        Hero: './src/components/Hero.astro',
        MarkdownContent: './src/components/MarkdownContent.astro',
      },
      customCss: ['./src/styles/site.css', './src/styles/playground.css', './src/styles/tabs.css'],
      plugins: [
        // First: the plugins behind it fill in the pages that they make.
        sidebarTopics(
          [
            {
              id: 'guides',
              label: 'Guides',
              link: '/',
              icon: 'open-book',
              items: [
                ...guides,
                { label: 'Packages', collapsed: true, items: Object.keys(packages).map(name => `packages/${name}`) },
              ],
            },
            {
              id: 'reference',
              label: 'SDK reference',
              link: '/reference/',
              icon: 'seti:typescript',
              items: [referenceSidebar],
            },
            {
              id: 'http',
              label: 'HTTP API',
              link: '/http/service/',
              icon: 'seti:json',
              items: [...openAPISidebarGroups],
            },
            { label: 'Errors', link: '/errors/', icon: 'error', items: errorPages },
          ],
          { topics: { guides: ['/404'], reference: ['/reference/**'], http: ['/http/**'] } },
        ),
        typeDoc({
          entryPoints: Object.values(packages).map(folder => `${root}${folder}`),
          output: 'reference',
          sidebar: { label: reference },
          typeDoc: {
            entryPointStrategy: 'packages',
            entryFileName: 'index',
            plugin: [`${here}typedoc/plugin.mjs`],
            packageOptions: { excludeExternals: true, categorizeByGroup: false, ...ofPages, ...documented },
            ...ofPages,
            ...documented,
            router: 'pages',
            useFirstParagraphOfCommentAsSummary: true,
            indexFormat: 'table',
            parametersFormat: 'table',
            interfacePropertiesFormat: 'table',
            classPropertiesFormat: 'table',
            typeAliasPropertiesFormat: 'table',
            propertyMembersFormat: 'table',
            expandObjects: true,
            tableColumnSettings: { hideDefaults: true, hideModifiers: true },
          },
        }),
        openApi([
          {
            base: 'http/service',
            schema: documents.service,
            snippets,
            sidebar: { label: 'The service', collapsed: false, operations },
          },
          {
            base: 'http/control',
            schema: documents.control,
            snippets,
            sidebar: { label: 'The control plane', operations },
          },
        ]),
        // After the plugins whose settings and navigation it replaces.
        {
          name: 'after-plugins',
          hooks: {
            'config:setup'({ config, updateConfig, addRouteMiddleware }) {
              updateConfig({ expressiveCode: code, sidebar: withReference(config.sidebar ?? []) })
              addRouteMiddleware({ entrypoint: `${here}src/route.ts`, order: 'post' })
            },
          },
        },
        llmsTxt(),
      ],
    }),
  ],
})
