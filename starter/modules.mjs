/**
 * The modules of the set: what each is bundled from. Each has the class of its element as its default export.
 * `node`: was it written for Node.js? `prebuilt`: where a package names the licences of what its authors have bundled in it.
 */
const element = (from, name) => `import '${from}'; export default customElements.get('${name}');`;
const ofPodOs = [
  'resource',
  'label',
  'picture',
  'description',
  'image',
  'literals',
  'relations',
  'reverse-relations',
  'type-badges',
  'container-contents',
  'document',
  'rich-link',
  'value',
  'list',
  'markdown-document',
];

export const MODULES = {
  'shacl-form': {
    code: element('@ulb-darmstadt/shacl-form/dist/form-default.js', 'shacl-form'),
    prebuilt: ['@ulb-darmstadt/shacl-form/dist/form-default.js.LICENSE.txt'],
  },
  'rdf-editor': { code: element('@rdfjs-elements/rdf-editor', 'rdf-editor'), node: true },
  'cytoscape-rdf': { code: element('cytoscape-rdf', 'cytoscape-rdf') },
  'pod-os': { code: podOs() },
  ...Object.fromEntries(
    ['thing', 'person', 'container', 'image', 'document', 'markdown', 'media', 'people', 'messages'].map(
      (name) => [`view-${name}`, { code: `export { default } from './elements/${name}.js';` }],
    ),
  ),
};

/** The elements that show a resource, without those that sign in; and the class that answers `pod-os:init`, for hosts. */
function podOs() {
  const folder = '@pod-os/elements/dist/components';
  return [
    ...ofPodOs.map(
      (name, i) => `import { defineCustomElement as d${i} } from '${folder}/pos-${name}.js'; d${i}();`,
    ),
    `export { PosResource as default } from '${folder}/pos-resource.js';`,
    `export { P as PodOS, N as NoOfflineCache } from '${folder}/index2.js';`,
  ].join('\n');
}
