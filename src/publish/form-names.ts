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

/** A fault of a description in the words of the form. */
export function inWordsOfForm({ pointer, detail }: Fault): Fault {
  const path = pointer.split('/').filter((key) => !/^\d*$/.test(key));
  const name = NAMES.get(path.at(-1) ?? '');
  if (name === undefined) return { pointer, detail };
  const field = `${path.join('.')} `;
  const rule = detail.startsWith(field) ? ` ${detail.slice(field.length)}` : `: ${detail}`;
  return { pointer, detail: `${name}${rule}` };
}
