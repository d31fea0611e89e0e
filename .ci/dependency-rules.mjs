// The allowed imports between packages, for dependency-cruiser.

/** The allowed imports of each package: our packages and libraries. Nothing else. */
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
/** The additional imports allowed in a package's tests. Tests may import any declared library. */
const inTests = { msw: ['publisher-sdk', 'advertiser-sdk'] }

/**
 * The folders of the simulator from the top down: a folder may import those below it, and the tables without
 * dependencies.
 */
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

/**
 * The simulator's tables without dependencies: URLs, limits, effects, the account of a new tenant. The console and the
 * control client import them.
 */
const simulatorTables = '^packages/simulator/src/(urls|bounds|origin|effects/effects|tenants/initial-account)\\.ts$'

/** Packages that also run in browsers and on edge runtimes. */
const portable = Object.keys(mayImport).filter(name => !['certification', 'conformance'].includes(name))

const everywhere = { path: '^(packages|apps)/' }
const tests = '\\.(test|fixture)\\.ts$'
/** An SDK's entries for Node: `src/node.ts`, and a folder with that name. */
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
      'Add a new folder of the simulator to the list of folders.',
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
      "The console imports the contract, the control client and the simulator's tables. It contains no rules.",
      { path: '^apps/console/' },
      { path: '^(packages/(?!(contract|control-client)/)|apps/(?!console/))', pathNot: simulatorTables },
    ),
    rule(
      'console-without-zod',
      'Only code that checks input imports shapes: in the page, they would weigh more than the views.',
      { path: '^apps/console/' },
      { path: '^packages/contract/src/(shapes|openapi/(?!field-notes))|node_modules/zod/' },
    ),
    rule(
      'control-client-without-the-simulator',
      'The control client imports types from the simulator, and at run time only its tables: no shapes, no rules.',
      { path: '^packages/control-client/', pathNot: tests },
      { path: '^packages/simulator/', pathNot: simulatorTables, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'examples-use-the-sdks',
      "An example shows a user's code: it imports an SDK and Express.",
      { path: '^apps/example-[^/]+/' },
      { path: '^(packages/(?!(publisher|advertiser)-sdk/)|apps/(?!example-))' },
    ),
    rule('no-circles', 'Merge two files that need each other, or extract a third.', everywhere, { circular: true }),
    rule(
      'no-way-around-exports',
      'Import another package by its name and exports, not by a path into its folder.',
      { path: '^(packages|apps)/([^/]+)/' },
      { ...everywhere, pathNot: '^(packages|apps)/$2/', dependencyTypes: ['local'] },
    ),
    rule('no-deep-imports', "Do not import another package's src or dist.", everywhere, {
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
      "`zod` and `zod/v4` add at least 26 KiB to a bundle, `zod/mini` 6. The types of zod's core cost nothing.",
      everywhere,
      { path: 'node_modules/zod/', pathNot: ['node_modules/zod/(v4/)?mini/', 'node_modules/zod/v4/core/'] },
    ),
    rule('zod-core-types-only', "Import only types from zod's core.", everywhere, {
      path: 'node_modules/zod/v4/core/',
      dependencyTypesNot: ['type-only'],
    }),
    rule(
      'zod-core-in-contract-only',
      "Only the contract imports zod's core.",
      { ...everywhere, pathNot: '^packages/contract/' },
      { path: 'node_modules/zod/v4/core/' },
    ),
    // Astro generates this one.
    rule('resolvable', 'Imports must exist, and the importing package must declare them.', everywhere, {
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
