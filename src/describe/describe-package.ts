import { integrityOf } from '../component/integrity.js';
import { type BrowserModule, browserModule } from './browser-module.js';
import type { ComponentJson } from './component-json.js';
import { type Described, describeElement } from './describe-element.js';
import { elementsInManifest } from './elements.js';
import type { PackageFiles } from './package-files.js';
import { offeredModules, type PackageJson, readPackageJson, servedByNpm } from './package-json.js';

export interface DescribeOptions {
  readonly files: PackageFiles;
  /** Which element, when the package has several. */
  readonly element?: string | undefined;
  /** Where the package's folder is, or will be, on the web; where npm's packages are served when absent. */
  readonly base?: string | undefined;
  /** IRIs of what the element renders, or names with a usual prefix. */
  readonly shapes: readonly string[];
  /** What its author says, which comes before what the package says. */
  readonly said?: ComponentJson | undefined;
}

/**
 * Describes the custom element of an npm package, with the hash of its module.
 * @throws Error that says to its author what is missing
 */
export async function describePackage(options: DescribeOptions): Promise<Described> {
  const { files, base, said = {}, element, shapes } = options;
  const text = await files.read('package.json');
  if (text === undefined) throw new Error(`there is no package.json in ${files.name}`);
  const packageJson = readPackageJson(text);
  const manifest = await files.read(
    (packageJson.customElements ?? 'custom-elements.json').replace(/^\.\//, ''),
  );
  // Last, because parsing a large module takes seconds, in which servers close the connection.
  const module = await moduleOf(packageJson, files);
  const place = base ?? files.url ?? servedByNpm(packageJson);
  const { component, notes } = describeElement({
    ...{ packageJson, said, element, shapes },
    declared: elementsInManifest(manifest ?? ''),
    uri: new URL(module.path, place.endsWith('/') ? place : `${place}/`).href,
    integrity: await integrityOf(new TextEncoder().encode(module.text)),
  });
  const isGuessed = base === undefined && files.url === undefined && said.uri === undefined;
  return { component, notes: [...(isGuessed ? [GUESSED_ADDRESS] : []), ...importNotes(module), ...notes] };
}

const GUESSED_ADDRESS =
  "Guessed: the address, where npm's packages are served; --base names another, and a private package needs one.";

async function moduleOf(packageJson: PackageJson, files: PackageFiles): Promise<BrowserModule> {
  const { found, unfit } = await browserModule(files, offeredModules(packageJson));
  if (found) return found;
  const why = unfit.map(({ path, why: reason }) => `\n  ${path}: ${reason}`).join('');
  throw new Error(
    `${packageJson.name} has no module that browsers can run without bundling${why || '\n  its package.json names none'}\nBundle it into one file (esbuild --bundle --format=esm), and name that file "unpkg" in package.json`,
  );
}

function importNotes({ others, importsUnnamed }: BrowserModule): string[] {
  const also = importsUnnamed ? ', and more while it runs' : '';
  if (others === 0 && !importsUnnamed) return [];
  return [`The module imports ${others} other files of the package${also}; its hash covers only itself.`];
}
