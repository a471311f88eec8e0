import { excerpt } from '../lib/excerpt.js';
import type { Fault } from '../lib/faults.js';

/** What the form on the page /publish calls what stands in a description. */
export const FORM_NAMES = {
  uri: 'URL of its module',
  label: 'Name',
  description: 'What it shows, in a sentence',
  version: 'Version',
  author: 'Authors',
  tag: 'Tags',
  shapes: 'What data it renders',
  example: 'URL of example data',
  element: 'Name of the element',
  variable: 'Its attribute',
  integrity: 'Hash of the module',
} as const;
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(FORM_NAMES));

/** Characters of a value that tell which one is meant. */
const SHOWN = 80;

/** A fault of a description in the words of the form, with the value, as there may be several. */
export function inWordsOfForm({ pointer, detail }: Fault, description: object): Fault {
  const keys = pointer.split('/').slice(1);
  const path = keys.filter((key) => !/^\d+$/.test(key));
  const name = NAMES.get(path.at(-1) ?? '');
  if (name === undefined) return { pointer, detail };
  const field = `${path.join('.')} `;
  const rule = detail.startsWith(field) ? ` ${detail.slice(field.length)}` : `: ${detail}`;
  const value = keys.reduce<unknown>(
    (of, key) => (of as Record<string, unknown> | undefined)?.[key],
    description,
  );
  const said = typeof value === 'string' && value !== '' ? `, and is ${excerpt(value, SHOWN)}` : '';
  return { pointer, detail: `${name}${rule}${said}` };
}
