import { shapeIri } from '../component/shape-names.js';
import { readComponentJson, saidFields } from './component-json.js';
import { COMPONENT_JSON } from './component-json-name.js';
import {
  capabilities,
  choose,
  componentOf,
  type Described,
  guessNotes,
  isRelease,
  servedByNpm,
} from './describe-package.js';
import { elementsInManifest } from './elements.js';
import { type FoundElement, guessed } from './guesses.js';
import { offeredModules, type PackageJson, readPackageJson } from './package-json.js';

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
  const { element, notes, isDeclared } = elementOf(packageJson, files, said.element);
  const shapes = (said.shapes ?? []).map(shapeIri);
  const [path] = offeredModules(packageJson);
  const guess = guessed(element);
  const found = {
    uri: path === undefined ? '' : new URL(path, servedByNpm(packageJson)).href,
    latest: isRelease(packageJson.version),
    capability: guess.mapping.length > 0 ? capabilities(element.name, guess, shapes) : undefined,
  };
  return {
    component: { ...componentOf(packageJson, element, found), ...saidFields(said), shapes },
    notes: [
      ...(said.uri !== undefined ? [] : [addressNote(path)]),
      ...notes,
      ...(isDeclared && !said.capability ? guessNotes(element, guess, { isDeclared, speaks: false }) : []),
    ],
  };
}

function addressNote(path: string | undefined): string {
  return path === undefined
    ? 'Its package.json names no module: fill in its URL.'
    : "Guessed: the address, where npm's packages are served.";
}

/** Which element is meant; of several the package's namesake, or the first. */
function elementOf(
  packageJson: PackageJson,
  files: Readonly<Record<string, string>>,
  wanted: string | undefined,
): { element: FoundElement; notes: string[]; isDeclared: boolean } {
  const declared = elementsInManifest(files['custom-elements.json'] ?? '');
  const name = wanted ?? packageJson.name.replace(/^@[^/]*\//, '');
  const [first] = declared;
  if (!first)
    return { element: { name, attributes: [], events: [], methods: [] }, notes: [], isDeclared: false };
  if (wanted !== undefined)
    return { element: choose(declared, wanted, packageJson.name), notes: [], isDeclared: true };
  const element = declared.find((one) => one.name === name) ?? first;
  const others = declared.filter((one) => one !== element).map((one) => one.name);
  const note = `It has other elements, too (${others.slice(0, 12).join(', ')}): "element" in component.json names the one that is meant.`;
  return { element, notes: others.length > 0 ? [note] : [], isDeclared: true };
}
