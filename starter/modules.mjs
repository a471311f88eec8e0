/**
 * The modules of the set: what each is bundled from. Each has the class of its element as its default export.
 * `node`: was it written for Node.js? `prebuilt`: where a package names the licences of what its authors have bundled in it.
 */
const element = (from, name) => `import '${from}'; export default customElements.get('${name}');`;

export const MODULES = {
  'shacl-form': {
    code: element('@ulb-darmstadt/shacl-form/dist/form-default.js', 'shacl-form'),
    prebuilt: ['@ulb-darmstadt/shacl-form/dist/form-default.js.LICENSE.txt'],
  },
  'rdf-editor': { code: element('@rdfjs-elements/rdf-editor', 'rdf-editor'), node: true },
  'cytoscape-rdf': { code: element('cytoscape-rdf', 'cytoscape-rdf') },
  ...Object.fromEntries(
    ['thing', 'person', 'container', 'image', 'document', 'markdown', 'media', 'people', 'messages'].map(
      (name) => [`view-${name}`, { code: `export { default } from './elements/${name}.js';` }],
    ),
  ),
};
