import type { Metadata } from './metadata.js';

/** What a search for words looks through: label, description, tags and authors, folded. */
export function searchText(component: Metadata): string {
  const { label, description = '', tag, author } = component;
  // One by one: folding what is not plain English costs ten times as much.
  return [label, description, ...tag, ...author.map(withoutTail)].map(fold).join('\n');
}

/** The WebIDs of Solid pods all end alike: whoever looks for "profile" or "card" does not mean that. */
function withoutTail(author: string): string {
  return author.replace(/\/profile\/card(#me)?$/, '');
}

/** The words of a search, folded; each of them has to occur. */
export function searchWords(search: string): string[] {
  return [...new Set(fold(search).split(/\s+/))].filter((word) => word !== '');
}

/** Without what people do not type: case, accents, ligatures, full-width forms. */
export function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  // There and back, so that ß, ẞ and SS are ss; and once more decomposed, because some capitals come apart.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase();
  return lower.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ς', 'σ');
}
