import { readComponentJson } from './component-json.js';
import { COMPONENT_JSON } from './component-json-name.js';
import { type Described, describeElement } from './describe-element.js';
import { elementsInManifest } from './elements.js';
import { offeredModules, readPackageJson, servedByNpm } from './package-json.js';

/**
 * Describes the custom element of an npm package by its manifests alone: its module is not read, so neither its hash is
 * known, nor whether it runs in browsers as it is.
 * @param files texts by their names: package.json, and custom-elements.json and component.json where there are any
 * @throws Error that says to its author what is missing
 */
export function describeManifest(files: Readonly<Record<string, string>>): Described {
  const text = files['package.json'];
  if (text === undefined) throw new Error('the package.json is missing: give it, too');
  const packageJson = readPackageJson(text);
  const [said = {}] = files[COMPONENT_JSON] === undefined ? [] : readComponentJson(files[COMPONENT_JSON]);
  const [path] = offeredModules(packageJson);
  const { component, notes } = describeElement({
    ...{ packageJson, said, shapes: said.shapes ?? [] },
    declared: elementsInManifest(files['custom-elements.json'] ?? ''),
    uri: path === undefined ? '' : new URL(path, servedByNpm(packageJson)).href,
  });
  return { component, notes: [...(said.uri === undefined ? [addressNote(path)] : []), ...notes] };
}

function addressNote(path: string | undefined): string {
  return path === undefined
    ? 'Its package.json names no module: fill in its URL.'
    : "Guessed: the address, where npm's packages are served.";
}
