import { fold, searchWords } from '../../../component/search-text.js';
import type { Documentation, DocumentPage } from './documents.js';
import type { Section } from './markdown.js';

/** A section in which all words of a search occur. */
export interface Hit {
  readonly page: DocumentPage;
  readonly section: Section;
  /** A part of the section around the first word; pieces that were searched for are `marked`. */
  readonly excerpt: readonly { readonly text: string; readonly marked: boolean }[];
}

/** Words of a search that count: every section is looked through for each. */
const MAX_WORDS = 8;
const SHOWN = 30;
/** Characters of an excerpt, and how many of them stand before the first word. */
const EXCERPT = { length: 220, before: 60 };

/** The sections in which all words occur, those first that have them in their heading. */
export function searchDocuments(documentation: Documentation, search: string): Hit[] {
  const words = searchWords(search).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const pages = documentation.names.flatMap((name) => documentation.page(name) ?? []);
  const hits = pages.flatMap((page) =>
    page.sections
      .map((section) => ({ page, section, rank: rankOf(page, section, words) }))
      .filter(({ rank }) => rank > 0),
  );
  return hits
    .sort((one, other) => other.rank - one.rank)
    .slice(0, SHOWN)
    .map(({ page, section }) => ({ page, section, excerpt: excerptOf(section.text, words) }));
}

/** 0 when a word is missing; headings count more than text. A word may stand in the title of the page. */
function rankOf({ title }: DocumentPage, { heading, text }: Section, words: readonly string[]): number {
  const [inTitle, inHeading, inText] = [title, heading, text].map(fold);
  let rank = 0;
  for (const word of words) {
    if (inHeading?.includes(word)) rank += 10;
    else if (inText?.includes(word)) rank += 2;
    else if (inTitle?.includes(word)) rank += 1;
    else return 0;
  }
  return rank;
}

function excerptOf(text: string, words: readonly string[]): Hit['excerpt'] {
  const pattern = new RegExp(
    words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'gi',
  );
  const first = Math.max(0, text.search(pattern));
  const start = first <= EXCERPT.before ? 0 : text.indexOf(' ', first - EXCERPT.before) + 1;
  const end = start + EXCERPT.length;
  const space = text.lastIndexOf(' ', end);
  const part = text.length > end ? `${text.slice(start, space > start ? space : end)} …` : text.slice(start);
  const shown = (start > 0 ? '… ' : '') + part;
  const pieces: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const { 0: found, index } of shown.matchAll(pattern)) {
    pieces.push({ text: shown.slice(at, index), marked: false }, { text: found, marked: true });
    at = index + found.length;
  }
  return [...pieces, { text: shown.slice(at), marked: false }].filter((piece) => piece.text !== '');
}
