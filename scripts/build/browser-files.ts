/** What the host library exports, by the file of src/host that holds it. Types are told to TypeScript alone. */
export const HOST_EXPORTS = {
  '../component/capability': {
    types: [
      'Capability',
      'ElementInvocation',
      'FragmentInvocation',
      'Invocation',
      'Mapping',
      'UriTemplateInvocation',
    ],
  },
  'component-element': { values: ['ComponentElement'] },
  'component-metadata': {
    types: [
      'Because',
      'Candidate',
      'ComponentMetadata',
      'ComponentPin',
      'ComponentSource',
      'Constraints',
      'Match',
      'Missing',
      'ModuleFile',
      'Pinned',
      'Trust',
    ],
  },
  'data-events': {
    types: ['DataAction', 'DataRequest', 'DataRequestDetail', 'DataResponseDetail', 'DataType', 'DataTypes'],
  },
  fetching: { types: ['Fetch'] },
  'host-error': { values: ['HostError'], types: ['HostErrorReason'] },
  'invocation/open-with': { types: ['Opening'] },
  'json-ld-context': { types: ['LoadContext'] },
  'load-component': { values: ['loadComponent'] },
  'module-load': { types: ['Loadable', 'LoadOptions'] },
  'node-answers': { types: ['NodeState'] },
  quad: { types: ['Quad', 'Term'] },
  'registry-client': {
    values: ['RegistryClient'],
    types: ['Listening', 'Matches', 'MatchOptions', 'RegistryClientOptions'],
  },
  'serve-data': { values: ['serveData'], types: ['DataHandler', 'ServeOptions'] },
  shapes: { values: ['shapesOf'], types: ['ShapesOptions'] },
  'show-component': { values: ['showComponent'], types: ['Showable', 'ShowOptions', 'Shown'] },
  'show-resource': { values: ['showResource'], types: ['ShowResourceOptions'] },
  'solid-data': { values: ['solidData'], types: ['SolidDataOptions'] },
  'tag-name': { values: ['tagNameOf'] },
} satisfies HostExports;

type HostExports = Readonly<
  Record<string, { readonly values?: readonly string[]; readonly types?: readonly string[] }>
>;

/** Modules that the library imports when it needs them, by the name of their source: the bundle of each, and the source. */
export const HOST_MODULES = {
  conformance: { file: 'host-shacl.js', source: 'src/host/conformance.ts' },
  'json-ld': { file: 'host-json-ld.js', source: 'src/host/json-ld.ts' },
  turtle: { file: 'host-turtle.js', source: 'src/host/turtle.ts' },
  sanitised: { file: 'host-sanitised.js', source: 'src/host/invocation/sanitised.ts' },
} as const;

/** The same for the explorer: signing in takes a library that only those load who do. */
export const EXPLORER_MODULES = {
  'sign-in': { file: 'explorer-sign-in.js', source: 'src/pages/publish/script/sign-in.ts' },
} as const;

/** The script of the frames that the library makes. */
export const HOST_FRAME = { file: 'host-frame.js', source: 'src/host/invocation/frame-page.ts' } as const;

/** The script that pages of others embed in one line. It imports `host.js`, which exports all that it needs. */
export const EMBED = { file: 'embed.js', source: 'src/host/embed.ts' } as const;

/** The scripts of the explorer, by the name that they are served under. */
export const EXPLORER_SCRIPTS = {
  'explorer.js': 'src/pages/browser/page.ts',
  'explorer-frame.js': 'src/pages/component/script/frame.ts',
  'explorer-data.js': 'src/pages/data/script.ts',
  'data-table.js': 'src/pages/browser/data-table.ts',
  'explorer-network.js': 'src/pages/network/script.ts',
  'explorer-publish.js': 'src/pages/publish/script.ts',
} as const;

/** The parts of `explorer.css`, in their order: of two rules that fit equally well, the later one wins. */
export const EXPLORER_STYLES = [
  'src/pages/shell/style/base.css',
  'src/pages/shell/style/components.css',
  'src/pages/shell/style/operations.css',
  'src/pages/shell/style/connections.css',
  'src/pages/shell/style/network.css',
  'src/pages/shell/style/screens.css',
  'src/pages/shell/style/docs.css',
  'src/pages/shell/style/samples.css',
  'src/pages/shell/style/publish.css',
] as const;

/** The entry of the library. A file in src that only passes on what others define would be a barrel. */
export function hostEntry(exports: HostExports, folder: string): string {
  return Object.entries(exports)
    .map(([file, { values = [], types = [] }]) => {
      const names = [...values, ...types.map((name) => `type ${name}`)];
      return `export { ${names.join(', ')} } from '${folder}${file}.js';\n`;
    })
    .join('');
}
