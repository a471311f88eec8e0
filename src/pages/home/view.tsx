import type { Description } from '../../catalog/description.js';
import { indexedValues } from '../../component/canonical-shape.js';
import { shapeFault, shapeName } from '../../component/shape-names.js';
import { componentPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { excerpt } from '../../lib/excerpt.js';
import { ComponentName, shortName } from '../shell/component-words.js';
import { DataForm, Question } from '../shell/forms.js';
import { authorName, isWebAddress, link, Section, separated, sourceName, time } from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';
import { isEmpty, LISTS, type ListName, type Search, searchParameters, toggled } from './search.js';

interface HomeView {
  readonly node: NodeView;
  readonly search: Search;
  /** Matches on all pages. Each version of a component is one of its own. */
  readonly total: number;
  /** What narrows the search down; undefined where too many match. */
  readonly offers: Offers | undefined;
  /** The matches on this page. */
  readonly shown: readonly Description[];
  /** Behind which uri the next page begins, when there is one. */
  readonly next: string | undefined;
}

/** Values of each field, with how many of the matches have them; the most frequent one first. */
export type Offers = Readonly<Record<ListName, readonly ValueCount[]>>;
export type ValueCount = readonly [value: string, count: number];

/** The fields by which components are found, as people read their values. */
const FIELDS: Readonly<Record<ListName, { title: string; label: (value: string) => string }>> = {
  shapes: { title: 'Shape', label: shapeName },
  tag: { title: 'Tag', label: (tag) => tag },
  author: { title: 'Author', label: authorName },
};

/** The page at `/`: find a component by words, shape, tag or author, or by the data that it is to show. */
export function homePage(view: HomeView): string {
  const { node, search, total, shown } = view;
  const isAll = isEmpty(search);
  const components = counted(total, 'component');
  const main = (
    <>
      <h1>Which component renders your data?</h1>
      {isAll && (
        <p class="lead">
          This registry lists web components, which are programs that show data in a page, by the{' '}
          <em>shape</em> of the data: what it is about, as a person, an event or a recipe. Their authors
          describe them in their <em>pods</em>, which are places on the web for data of one's own. Find one by
          name or by shape, or begin with your data.
        </p>
      )}
      <div class="questions">
        {searchForm(view)}
        {isAll && <DataForm node={node} label="Or begin with your data" />}
      </div>
      <p class="alert" id="away" role="alert" hidden />
      <div class="columns" id="results" data-live="">
        {shown.length > 0 && facets(view)}
        <section aria-labelledby="count">
          <h2 {...{ id: 'count', tabindex: -1 }}>{isAll ? components : `${components} found`}</h2>
          {chosen(view)}
          <ol class="components">{shown.map((served) => entry(served, node))}</ol>
          {shown.length === 0 && nothing(view)}
          {neighbours(view)}
        </section>
      </div>
    </>
  );
  const title = isAll ? 'Components' : `${search.q || 'Components'} – search`;
  return renderPage({ node, part: 'components', title, main, hasResults: true });
}

function searchPath({ root }: NodeView, search: Search, after?: string): string {
  return `${root}/${searchParameters(search, after)}`;
}

function searchForm({ node, search }: HomeView) {
  const hint = (
    <>
      Words, tags, authors, or a shape: <code>foaf:Person</code>, or its whole address.
    </>
  );
  const hidden = LISTS.flatMap((name) => search[name].map((value) => [name, value] as const));
  const about = { form: { action: `${node.root}/` }, value: search.q, hidden, hint };
  return <Question {...about} name="q" type="search" label="Find a component" button="Search" />;
}

/** Links that narrow the results down to a shape, a tag or an author, each with the number of matches that it would leave. */
function facets({ node, search, offers }: HomeView) {
  const facet = (name: ListName, [value, count]: ValueCount) => (
    <li>
      <a href={searchPath(node, toggled(search, name, value))} title={value}>
        <span>{FIELDS[name].label(value)}</span> <small>{count.toLocaleString('en')}</small>
      </a>
    </li>
  );
  const named = LISTS.map((name) => ({ name, values: offers?.[name] ?? [] }));
  return (
    <aside aria-label="Narrow down">
      {!offers && <p class="hint">These are too many to count. Look for one more word.</p>}
      {named.map(
        ({ name, values }) =>
          values.length > 0 && (
            <Section id={`facet-${name}`} title={FIELDS[name].title}>
              <ul class="facet">{values.map((one) => facet(name, one))}</ul>
            </Section>
          ),
      )}
    </aside>
  );
}

/** The chosen shapes, tags and authors, each with a link that removes it from the search. */
function chosen({ node, search }: HomeView) {
  const chips = LISTS.flatMap((name) =>
    search[name].map((value) => {
      const label = FIELDS[name].label(value);
      const href = searchPath(node, toggled(search, name, value));
      const given = { class: 'chip', href, title: value, 'aria-label': `${label}, remove` };
      return <li>{<a {...given}>{label} ×</a>}</li>;
    }),
  );
  return chips.length > 0 && <ul class="chips">{chips}</ul>;
}

/** Longest value of an entry that is a link, in characters: fifty entries of values as long as there may be are 14 MB. */
const LONGEST_LINKED = 256;
/** Most shapes, tags and authors that an entry shows; its page has all of them. */
const SHOWN_VALUES = 8;

function entry(served: Description, { baseUrl, root }: NodeView) {
  const { uri, description, tag, author } = served.metadata;
  const links = (name: ListName, style: string, values: readonly string[]) =>
    values.slice(0, SHOWN_VALUES).map((value) => {
      const words = shortName(FIELDS[name].label(value));
      if (value.length > LONGEST_LINKED) return <span class={style}>{words}</span>;
      const href = `${root}/?${name}=${encodeURIComponent(value)}`;
      return <a {...{ class: style, href, title: value }}>{words}</a>;
    });
  return (
    <li>
      <h3>
        <ComponentName of={served} href={componentPath(baseUrl, uri)} />
      </h3>
      {description && <p>{excerpt(description)}</p>}
      <p class="meta">
        {links('shapes', 'shape', indexedValues(served.metadata, 'shapes'))}
        {links('tag', 'tag', tag)}
      </p>
      <p class="by">
        {author.length > 0 && <span>by {separated(links('author', 'author', author))}</span>}
        <span>from {sourceName(served.source)}</span>
        <span>updated {time(served.since)}</span>
      </p>
    </li>
  );
}

/** The ways to the other pages of results, which are in the order of addresses. */
function neighbours({ node, search, next }: HomeView) {
  if (next === undefined && search.after === '') return null;
  return (
    <nav class="pages" aria-label="More pages">
      {search.after !== '' && link(searchPath(node, search), 'First page')}
      {next !== undefined && <a {...{ rel: 'next', href: searchPath(node, search, next) }}>Next page</a>}
    </nav>
  );
}

function nothing({ node: { root }, search, total }: HomeView) {
  if (total > 0) return <p>There is no such page of results.</p>;
  if (isEmpty(search)) {
    return (
      <p>
        Nobody has described a component here yet. Have you written one?{' '}
        {link(`${root}/publish`, 'Publish it')}. The operator of this node names pods and peers in its
        configuration, and sees {link(`${root}/network`, 'how these sources fare')}; or begins with what comes
        with this software, by <code>--demo</code> or <code>--starter</code>.
      </p>
    );
  }
  // A search for an address may be for a component.
  const uri = isWebAddress(search.q) ? `?uri=${encodeURIComponent(search.q)}` : '';
  const fault = search.shapes.map(shapeFault).find((one) => one !== undefined);
  return (
    <p>
      {fault && `There is a shape that nobody can find: ${fault}. `}
      Nothing matches all of this. {link(`${root}/`, 'Show all components')}, or ask{' '}
      {link(`${root}/why${uri}`, 'why a component is not here')}.
    </p>
  );
}
