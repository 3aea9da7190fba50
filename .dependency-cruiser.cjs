// Layers, lowest first. A file may import from its own folder and from lower layers only.
const layers = ['lib', 'protocol', 'engine', 'services', 'extensions', 'harness', 'apps'];
const isTest = '\\.test(-d)?\\.tsx?$';

// Home of each npm package with weight or a vendor's name. zod and yaml are free above lib.
// A new heavy package is added here in the same change that installs it.
const homes = {
  'web-tree-sitter': 'services/permissions',
  'tree-sitter-bash': 'services/permissions',
  '@vscode/ripgrep': 'services/workspace',
  'jsonc-parser': 'services/config',
  '@cfworker/json-schema': 'services/json-schema',
  linkedom: 'extensions/tools',
  '@mozilla/readability': 'extensions/tools',
  turndown: 'extensions/tools',
  'ipaddr.js': 'extensions/tools',
  commander: 'apps/cli',
};

const upward = layers.slice(0, -1).map((layer, level) => ({
  name: `${layer}-imports-upward`,
  comment: `${layer} may import from lower layers only (${layers.slice(0, level).join(', ') || 'none'}).`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${layers.slice(level + 1).join('|')})/` },
}));

const oneHome = Object.entries(homes).map(([packagePath, home]) => ({
  name: `${packagePath.replace(/\W/g, '')}-only-in-${home.replace('/', '-')}`,
  comment: `Only src/${home} may import ${packagePath}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: [`^src/${home}/`, '^src/testing/', isTest] },
  to: { path: `node_modules/${packagePath}` },
}));

module.exports = {
  forbidden: [
    ...upward,
    ...oneHome,
    {
      name: 'siblings-do-not-know-each-other',
      comment: 'A service or app is handed what it needs by the harness; it does not import its neighbour.',
      severity: 'error',
      from: { path: '^src/(services|apps)/([^/]+)/' },
      to: { path: '^src/$1/', pathNot: '^src/$1/$2/' },
    },
    {
      name: 'extensions-do-not-know-each-other',
      comment: 'Code that two extensions share lives in a file whose name begins with "_".',
      severity: 'error',
      from: { path: '^src/extensions/[^/]+/(?!index\\.ts)', pathNot: isTest },
      to: { path: '^src/extensions/', pathNot: '/_[^/]+$' },
    },
    {
      name: 'apps-go-through-harness',
      comment: 'An app may import harness, protocol, lib and services/i18n.',
      severity: 'error',
      from: { path: '^src/apps/', pathNot: isTest },
      to: { path: '^src/(engine|extensions|services/(?!i18n/))' },
    },
    {
      name: 'testing-is-leaf',
      comment: 'Product code does not import the test kit.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/testing/', isTest] },
      to: { path: '^src/testing/' },
    },
    {
      name: 'testing-knows-no-app',
      comment: 'The test kit stops at the harness.',
      severity: 'error',
      from: { path: '^src/testing/', pathNot: isTest },
      to: { path: '^src/apps/' },
    },
    {
      name: 'no-io-in-core',
      comment: 'lib, protocol and engine do no I/O: what they need comes through a port.',
      severity: 'error',
      from: { path: '^src/(lib|protocol|engine)/', pathNot: isTest },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|child_process|http|https|http2|net|tls|dgram|dns|readline|sqlite|worker_threads)',
      },
    },
    {
      name: 'no-npm-in-core',
      comment: 'protocol, engine and harness use zod and yaml, nothing else from npm.',
      severity: 'error',
      from: { path: '^src/(protocol|engine|harness)/', pathNot: isTest },
      to: { path: 'node_modules/', pathNot: 'node_modules/(zod|yaml|@types/node)/' },
    },
    {
      name: 'lib-is-bare',
      comment: 'lib uses nothing from npm.',
      severity: 'error',
      from: { path: '^src/lib/', pathNot: isTest },
      to: { path: 'node_modules/', pathNot: 'node_modules/@types/node/' },
    },
    {
      name: 'no-circular',
      comment: 'No import cycles; type imports count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'Every import names a file or a package that exists.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
