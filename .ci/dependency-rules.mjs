// Which package may import which, for dependency-cruiser.

/** The imports that each of our packages may have: our packages, in its tests some more, and libraries. Nothing else. */
export const mayImport = {
  contract: { ours: [], libraries: ['zod'] },
  engine: { ours: ['contract'], libraries: ['zod'] },
  http: { ours: ['contract'], libraries: [] },
  simulator: { ours: ['contract', 'engine', 'http'], libraries: ['zod'] },
  'sdk-core': { ours: ['contract'], libraries: ['ky'] },
  'publisher-sdk': { ours: ['contract', 'sdk-core'], libraries: [] },
  'advertiser-sdk': { ours: ['contract', 'sdk-core'], libraries: [] },
  'control-client': { ours: ['contract', 'simulator'], libraries: ['ky'] },
  msw: {
    ours: ['contract', 'control-client', 'simulator'],
    inTests: ['publisher-sdk', 'advertiser-sdk'],
    libraries: ['msw', 'vitest', '@playwright/test'],
  },
  certification: { ours: ['contract', 'control-client', 'http', 'simulator'], libraries: [] },
  conformance: {
    ours: ['contract', 'publisher-sdk', 'advertiser-sdk'],
    libraries: ['commander', 'zod'],
  },
}

/** The folders of the simulator from the top down: a folder imports those below it, and the tables that load nothing. */
export const simulatorFolders = [
  ...[
    'pages',
    'control',
    'service',
    'diagnosis',
    'tenants',
    'worker',
    'advertisers',
    'callbacks',
    'effects',
    'journal',
  ],
  ...['stream', 'egress', 'storage', 'time', 'random'],
]

/** The tables of the simulator that load nothing: URLs, bounds, effects. The console and the control client import them. */
const simulatorTables = '^packages/simulator/src/(urls|bounds|origin|effects/effects)\\.ts$'

const packages = Object.keys(mayImport)

/** Run in browsers and on edge runtimes too. */
const portable = packages.filter(name => !['certification', 'conformance'].includes(name))

const tests = '\\.(test|fixture)\\.ts$'
/** Entries of an SDK that are for Node: `src/node.ts`, and a folder of that name. */
const nodeEntries = '^packages/(publisher|advertiser)-sdk/src/node'
const anyOf = names => `(${names.join('|')})`

const ownImports = packages.flatMap(name => {
  const { ours, inTests } = mayImport[name]
  const sources = onlyOwn(name, ours, { path: `^packages/${name}/` })
  if (!inTests) return [sources]
  return [
    { ...sources, from: { ...sources.from, pathNot: tests } },
    onlyOwn(name, [...ours, ...inTests], { path: `^packages/${name}/.*${tests}` }),
  ]
})

function onlyOwn(name, ours, from) {
  return {
    name: `only-its-own:${name}`,
    comment: `${name} may import ${ours.join(', ') || 'no package of ours'}.`,
    severity: 'error',
    from,
    to: {
      path: '^(packages|apps)/|^@lead-distribution/',
      pathNot: [`^packages/${anyOf([name, ...ours])}/`, `^@lead-distribution/${anyOf([name, ...ours])}(/|$)`],
    },
  }
}

const ownLibraries = packages.map(name => ({
  name: `only-its-libraries:${name}`,
  comment: `${name} may import ${mayImport[name].libraries.join(', ') || 'no library'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: [tests, ...(name.endsWith('-sdk') ? [nodeEntries] : [])] },
  to: {
    path: 'node_modules/',
    pathNot: [
      `node_modules/@lead-distribution/`,
      ...mayImport[name].libraries.map(library => `node_modules/(@types/)?${library}/`),
    ],
  },
}))

const inSimulator = names => `^packages/simulator/src/${anyOf(names)}/`

const simulatorDownward = simulatorFolders.map((folder, place) => ({
  name: `simulator-downward:${folder}`,
  comment: `${folder} may import ${simulatorFolders.slice(place + 1).join(', ') || 'no other folder'} and the tables.`,
  severity: 'error',
  from: { path: inSimulator([folder]), pathNot: tests },
  to: {
    path: '^packages/simulator/src/',
    pathNot: [simulatorTables, inSimulator(simulatorFolders.slice(place))],
  },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...ownImports,
    ...ownLibraries,
    ...simulatorDownward,
    {
      name: 'simulator-known-folders',
      comment: 'A new folder of the simulator gets its place in the list of folders.',
      severity: 'error',
      from: { path: '^packages/simulator/src/[^/]+/', pathNot: inSimulator(simulatorFolders) },
      to: {},
    },
    {
      name: 'apps-import-downward',
      comment: 'The sandbox imports every package but conformance, and no other app.',
      severity: 'error',
      from: { path: '^apps/sandbox/' },
      to: { path: '^(packages/conformance|apps/(?!sandbox/))' },
    },
    {
      name: 'console-by-the-control-client',
      comment: 'The console imports the contract, the control client and the tables of the sandbox: it holds no rule.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(packages/(?!(contract|control-client)/)|apps/(?!console/))', pathNot: simulatorTables },
    },
    {
      name: 'console-without-zod',
      comment: 'Shapes are for what checks input: in the page they weigh more than the views.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^packages/contract/src/(shapes|openapi/(?!field-notes))|node_modules/zod/' },
    },
    {
      name: 'control-client-without-the-simulator',
      comment: 'Of the simulator the control client takes types, and at run time only its tables: no shape, no rule.',
      severity: 'error',
      from: { path: '^packages/control-client/', pathNot: tests },
      to: {
        path: '^packages/simulator/',
        pathNot: simulatorTables,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'examples-use-the-sdks',
      comment: 'An example shows what a user does: it imports an SDK and Express.',
      severity: 'error',
      from: { path: '^apps/example-[^/]+/' },
      to: { path: '^(packages/(?!(publisher|advertiser)-sdk/)|apps/(?!example-))' },
    },
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one file, or three.',
      severity: 'error',
      from: { path: '^(packages|apps)/' },
      to: { circular: true },
    },
    {
      name: 'no-way-around-exports',
      comment: 'Another package is imported by its name and its exports, not by a path into its folder.',
      severity: 'error',
      from: { path: '^(packages|apps)/([^/]+)/' },
      to: { path: '^(packages|apps)/', pathNot: '^(packages|apps)/$2/', dependencyTypes: ['local'] },
    },
    {
      name: 'no-deep-imports',
      comment: "Another package's src and dist are its own.",
      severity: 'error',
      from: { path: '^(packages|apps)/' },
      to: { path: '^@lead-distribution/[^/]+/(src|dist)(/|$)' },
    },
    {
      name: 'no-node-imports',
      comment: 'This package runs in browsers and on edge runtimes.',
      severity: 'error',
      from: { path: `^packages/${anyOf(portable)}/`, pathNot: [tests, nodeEntries] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'zod-mini-only',
      comment: "`zod` and `zod/v4` bundle 26 KiB and more; `zod/mini` bundles 6. Zod's core types cost nothing.",
      severity: 'error',
      from: { path: '^(packages|apps)/' },
      to: { path: 'node_modules/zod/', pathNot: ['node_modules/zod/(v4/)?mini/', 'node_modules/zod/v4/core/'] },
    },
    {
      name: 'zod-core-types-only',
      comment: "Zod's core is imported for its types, only by the contract.",
      severity: 'error',
      from: { path: '^(packages|apps)/' },
      to: { path: 'node_modules/zod/v4/core/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'zod-core-in-contract-only',
      comment: "Zod's core is imported for its types, only by the contract.",
      severity: 'error',
      from: { path: '^(packages|apps)/', pathNot: '^packages/contract/' },
      to: { path: 'node_modules/zod/v4/core/' },
    },
    {
      name: 'resolvable',
      comment: 'What is imported exists, and the package that imports it declares it.',
      severity: 'error',
      from: { path: '^(packages|apps)/' },
      // Astro itself makes that one.
      to: { couldNotResolve: true, pathNot: '^astro:' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(build|dist|\\.astro)/|^apps/sandbox/console/|^apps/site/public/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
    },
  },
}
