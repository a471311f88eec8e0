import type { ListField } from './fields.js';
import type { Metadata } from './metadata.js';
import { shapeName } from './shape-names.js';

type Searched = Pick<Metadata, 'label' | 'description' | ListField>;

/** What a search for words looks through: label, description, tags, authors and short names of shapes, folded. */
export function searchText(component: Searched): string {
  const { label, description = '', tag, author, shapes } = component;
  // A WebID without its usual end: a search for "profile" or "card" must not find every author with a Solid pod.
  const authors = author.map((one) => one.replace(/\/profile\/card(#me)?$/, ''));
  const texts = [label, description, ...tag, ...authors, ...shapes.map(shapeName)];
  // Each text separately, because folding one that is not ASCII takes ten times as long.
  return texts.map(fold).join('\n');
}

/** The words of a search, folded; each of them has to occur. */
export function searchWords(search: string): string[] {
  return [...new Set(fold(search).split(/\s+/))].filter((word) => word !== '');
}

/** Text without the differences that a search ignores: case, accents, ligatures, full-width forms. */
function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  // To upper and back to lower case, so that ß, ẞ and SS become ss; normalised again, because that can add accents.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase();
  return lower.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ς', 'σ');
}
