import type { Metadata } from '../../../component/metadata.js';
import { shapeIri } from '../../../component/shape-names.js';
import { byId } from '../../browser/element.js';

const TEXTS = ['uri', 'label', 'description', 'version', 'integrity', 'example'] as const;
/** What stands between the values of a field. Names of authors have spaces in them; that of a class or shape has none. */
const LISTS = { author: ', ', tag: ', ', shapes: ' ' } as const;
const NAMES = Object.keys(LISTS) as readonly (keyof typeof LISTS)[];

/** What a document says of the component's use, which is more than the form has fields for. */
let capability: Metadata['capability'];

/** The field of the form in which a component is described. */
export function fieldOf(name: string): HTMLInputElement {
  return byId<HTMLFormElement>('description').elements.namedItem(name) as HTMLInputElement;
}

/** What has been filled in. Prefixed names of shapes are written out; of several namespaces, the first. */
export function readForm(): Metadata {
  const texts = TEXTS.map((name) => [name, textOf(name)]).filter(([, text]) => text !== '');
  const [author = [], tag = [], shapes = []] = NAMES.map((name) =>
    textOf(name)
      .split(LISTS[name].trim() || ' ')
      .map((one) => one.trim())
      .filter(Boolean),
  );
  const said: Partial<Metadata> = Object.fromEntries(texts);
  const lists = { author, tag, shapes: shapes.map(shapeIri) };
  const description = { uri: '', label: '', ...said, latest: fieldOf('latest').checked, ...lists };
  const used = capabilityFor(lists.shapes);
  return { ...description, ...(used && { capability: used }) };
}

export function fillForm(description: Metadata): void {
  for (const name of TEXTS) fieldOf(name).value = description[name] ?? '';
  for (const name of NAMES) fieldOf(name).value = description[name].join(LISTS[name]);
  for (const name of ['element', 'attribute']) fieldOf(name).value = '';
  fieldOf('latest').checked = description.latest !== false;
  capability = description.capability;
  byId('capability').hidden = capability === undefined;
}

/** The capability of an element that takes its data by one attribute; else what was said of it already. */
function capabilityFor(resourceType: readonly string[]): Metadata['capability'] {
  const [element, variable, property] = ['element', 'attribute', 'meaning'].map(textOf);
  if (!element || !variable || !property) return capability;
  const format = property === 'data' ? { format: 'text/turtle' } : {};
  const mapping = [{ variable, property }];
  const invocation = [{ type: 'ElementInvocation', element, ...format, mapping } as const];
  return [{ action: 'odrl:display', resourceType, invocation }];
}

function textOf(name: string): string {
  return fieldOf(name).value.trim();
}
