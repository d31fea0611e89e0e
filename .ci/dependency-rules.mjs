// Which package may import which, for dependency-cruiser.

/** The imports that each of our packages may have: our packages, and libraries. Nothing else. */
const mayImport = {
  contract: ['zod'],
  engine: ['contract', 'zod'],
  http: ['contract'],
  simulator: ['contract', 'engine', 'http', 'zod'],
  'sdk-core': ['contract', 'ky'],
  'publisher-sdk': ['contract', 'sdk-core'],
  'advertiser-sdk': ['contract', 'sdk-core'],
  'control-client': ['contract', 'simulator', 'ky'],
  msw: ['contract', 'control-client', 'simulator', 'msw', 'vitest', '@playwright/test'],
  certification: ['contract', 'control-client', 'http', 'simulator'],
  conformance: ['contract', 'publisher-sdk', 'advertiser-sdk', 'commander', 'zod'],
}
/** The imports that the tests of a package may have besides; of libraries, they may import any that is declared. */
const inTests = { msw: ['publisher-sdk', 'advertiser-sdk'] }

/** The folders of the simulator from the top down: a folder imports those below it, and the tables that load nothing. */
const simulatorFolders = [
  'pages',
  'control',
  'service',
  'diagnosis',
  'tenants',
  'worker',
  'advertisers',
  'callbacks',
].concat(['effects', 'journal', 'stream', 'egress', 'storage', 'time', 'random'])

/** The tables of the simulator that load nothing: URLs, bounds, effects. The console and the control client import them. */
const simulatorTables = '^packages/simulator/src/(urls|bounds|origin|effects/effects)\\.ts$'

/** They run in browsers and on edge runtimes too. */
const portable = Object.keys(mayImport).filter(name => !['certification', 'conformance'].includes(name))

const everywhere = { path: '^(packages|apps)/' }
const tests = '\\.(test|fixture)\\.ts$'
/** Entries of an SDK that are for Node: `src/node.ts`, and a folder of that name. */
const nodeEntries = '^packages/(publisher|advertiser)-sdk/src/node'
const anyOf = names => `(${names.join('|')})`
const inSimulator = names => `^packages/simulator/src/${anyOf(names)}/`
const ours = names => [`^packages/${anyOf(names)}/`, `^@lead-distribution/${anyOf(names)}(/|$)`]
const libraries = names => ['node_modules/@lead-distribution/', `node_modules/(@types/)?${anyOf(names)}/`]

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const packageRules = Object.entries(mayImport).flatMap(([name, may]) => {
  const [all, others] = [`^packages/${name}/`, ['^(packages|apps)/|^@lead-distribution/']]
  const withTests = [name, ...may, ...(inTests[name] ?? [])]
  const comment = `${name} may import ${may.join(', ')}.`
  return [
    rule(
      `only-its-own:${name}`,
      comment,
      { path: all, pathNot: tests },
      { path: others, pathNot: ours([name, ...may]) },
    ),
    rule(`only-its-own-in-tests:${name}`, comment, { path: all }, { path: others, pathNot: ours(withTests) }),
    rule(
      `only-its-libraries:${name}`,
      comment,
      { path: all, pathNot: [tests, nodeEntries] },
      { path: 'node_modules/', pathNot: libraries(may) },
    ),
  ]
})

const simulatorRules = simulatorFolders.map((folder, place) =>
  rule(
    `simulator-downward:${folder}`,
    `${folder} may import ${simulatorFolders.slice(place + 1).join(', ') || 'no other folder'} and the tables.`,
    { path: inSimulator([folder]), pathNot: tests },
    { path: '^packages/simulator/src/', pathNot: [simulatorTables, inSimulator(simulatorFolders.slice(place))] },
  ),
)

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...packageRules,
    ...simulatorRules,
    rule(
      'simulator-known-folders',
      'A new folder of the simulator gets its place in the list of folders.',
      { path: '^packages/simulator/src/[^/]+/', pathNot: inSimulator(simulatorFolders) },
      {},
    ),
    rule(
      'apps-import-downward',
      'The sandbox imports every package but conformance, and no other app.',
      { path: '^apps/sandbox/' },
      { path: '^(packages/conformance|apps/(?!sandbox/))' },
    ),
    rule(
      'console-by-the-control-client',
      'The console imports the contract, the control client and the tables of the sandbox: it holds no rule.',
      { path: '^apps/console/' },
      { path: '^(packages/(?!(contract|control-client)/)|apps/(?!console/))', pathNot: simulatorTables },
    ),
    rule(
      'console-without-zod',
      'Shapes are for what checks input: in the page they weigh more than the views.',
      { path: '^apps/console/' },
      { path: '^packages/contract/src/(shapes|openapi/(?!field-notes))|node_modules/zod/' },
    ),
    rule(
      'control-client-without-the-simulator',
      'Of the simulator the control client takes types, and at run time only its tables: no shape, no rule.',
      { path: '^packages/control-client/', pathNot: tests },
      { path: '^packages/simulator/', pathNot: simulatorTables, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'examples-use-the-sdks',
      'An example shows what a user does: it imports an SDK and Express.',
      { path: '^apps/example-[^/]+/' },
      { path: '^(packages/(?!(publisher|advertiser)-sdk/)|apps/(?!example-))' },
    ),
    rule('no-circles', 'Two files that need each other are one file, or three.', everywhere, { circular: true }),
    rule(
      'no-way-around-exports',
      'Another package is imported by its name and its exports, not by a path into its folder.',
      { path: '^(packages|apps)/([^/]+)/' },
      { ...everywhere, pathNot: '^(packages|apps)/$2/', dependencyTypes: ['local'] },
    ),
    rule('no-deep-imports', "Another package's src and dist are its own.", everywhere, {
      path: '^@lead-distribution/[^/]+/(src|dist)(/|$)',
    }),
    rule(
      'no-node-imports',
      'This package runs in browsers and on edge runtimes.',
      { path: `^packages/${anyOf(portable)}/`, pathNot: [tests, nodeEntries] },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'zod-mini-only',
      "`zod` and `zod/v4` bundle 26 KiB and more; `zod/mini` bundles 6. The types of zod's core cost nothing.",
      everywhere,
      { path: 'node_modules/zod/', pathNot: ['node_modules/zod/(v4/)?mini/', 'node_modules/zod/v4/core/'] },
    ),
    rule('zod-core-types-only', "Zod's core is imported for its types.", everywhere, {
      path: 'node_modules/zod/v4/core/',
      dependencyTypesNot: ['type-only'],
    }),
    rule(
      'zod-core-in-contract-only',
      "Zod's core is imported only by the contract.",
      { ...everywhere, pathNot: '^packages/contract/' },
      { path: 'node_modules/zod/v4/core/' },
    ),
    // Astro itself makes that one.
    rule('resolvable', 'What is imported exists, and the package that imports it declares it.', everywhere, {
      couldNotResolve: true,
      pathNot: '^astro:',
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(build|dist|\\.astro)/|^apps/(sandbox/console|site/public|e2e/src/published/programs)/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
    },
  },
}
