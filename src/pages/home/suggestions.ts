import { html } from 'hono/html';
import { fold } from '../../component/search-text.js';
import { rootPath } from '../../http/paths.js';
import type { Markup } from '../shell/page.js';
import { FACETS } from './facets.js';
import type { ResultsView } from './results-view.js';
import { LISTS, type ListName, searchParameters, toggled } from './search.js';

/** Most suggestions of one kind. */
const MOST = 5;
/** A single letter is in almost every name. */
const LEAST_LETTERS = 2;

/**
 * Shapes, tags and authors in whose names the last word of the search occurs, each a link that puts it in the place of
 * the word. They come from the matches: whatever has such a name matches the word, too.
 */
export function suggestions(view: ResultsView): Markup {
  const links = LISTS.flatMap((name) => linksOf(view, name));
  if (links.length === 0) return html``;
  return html`<ul class="chips suggestions" aria-label="Shapes, tags and authors of this name">${links}</ul>`;
}

function linksOf({ node, search, results }: ResultsView, name: ListName): Markup[] {
  const { words, last } = divided(search.q);
  if (last.length < LEAST_LETTERS) return [];
  const { title, label } = FACETS[name];
  const found = results.values[name].filter(
    ([value]) =>
      !search[name].includes(value) && (fold(label(value)).includes(last) || value.toLowerCase() === last),
  );
  return found.slice(0, MOST).map(([value, count]) => {
    const chosen = toggled({ ...search, q: words }, name, value);
    const address = `${rootPath(node.baseUrl)}/${searchParameters(chosen)}`;
    return html`<li><a class="chip" href="${address}" title="${value}"><small>${title}</small> ${label(value)} <small>${count.toLocaleString('en')}</small></a></li>`;
  });
}

function divided(q: string): { words: string; last: string } {
  const at = q.search(/\S+$/);
  return { words: q.slice(0, Math.max(at, 0)).trim(), last: fold(q.slice(Math.max(at, 0))) };
}
