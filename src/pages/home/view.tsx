import type { Description } from '../../catalog/description.js';
import { indexedValues } from '../../component/canonical-shape.js';
import { shapeFault, shapeName } from '../../component/shape-names.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { componentPath, rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { excerpt } from '../../lib/excerpt.js';
import { ComponentName, LABEL_LENGTH, ModuleWords } from '../shell/component-words.js';
import { DataForm, Question } from '../shell/forms.js';
import { authorName, isWebAddress, link, separated, sourceName, time } from '../shell/fragments.js';
import { hostOf, renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import { isEmpty, LISTS, type ListName, type Search, searchParameters, toggled } from './search.js';

export interface HomeView {
  readonly node: NodeView;
  readonly search: Search;
  /** Matches on all pages. Each version of a component is one of its own. */
  readonly total: number;
  /** What narrows the search down; undefined where too many match. */
  readonly offers: Offers | undefined;
  /** The matches on this page. */
  readonly shown: readonly Description[];
  /** What is known of the modules of these, each at the same index. */
  readonly looks: readonly (ModuleLook | undefined)[];
  /** Behind which uri the next page begins, when there is one. */
  readonly next: string | undefined;
}

/** Values of each field, with how many of the matches have them; the most frequent one first. */
export type Offers = Readonly<Record<ListName, readonly ValueCount[]>>;
export type ValueCount = readonly [value: string, count: number];

/** The fields by which components are found, as people read their values. */
const FIELDS: Readonly<
  Record<ListName, { readonly title: string; readonly label: (value: string) => string }>
> = {
  shapes: { title: 'Shape', label: shapeName },
  tag: { title: 'Tag', label: (tag) => tag },
  author: { title: 'Author', label: authorName },
};

/** The page at `/`: find a component by words, shape, tag or author, or by the data that it is to show. */
export function homePage(view: HomeView): string {
  const { node, search, total, shown, looks, next } = view;
  const isAll = isEmpty(search);
  const components = counted(total, 'component');
  const main = (
    <>
      <Introduction node={node} search={search} />
      <div class="questions">
        <SearchForm node={node} search={search} />
        {isAll && <DataForm node={node} label="Or begin with your data" />}
      </div>
      <p class="alert" id="away" role="alert" hidden />
      <div class="columns" id="results" data-live="">
        {shown.length > 0 && <Facets {...view} />}
        <section aria-labelledby="count">
          <h2 id="count" tabindex={-1}>
            {isAll ? components : `${components} found`}
          </h2>
          {shown.length > 0 && <p class="jump">{link('#facets', 'Narrow down')}</p>}
          <Chosen node={node} search={search} />
          <ol class="components">{shown.map((served, i) => entry(served, looks[i], node.baseUrl))}</ol>
          {shown.length === 0 && <Nothing node={node} search={search} total={total} />}
          {(next !== undefined || search.after !== '') && <Neighbours {...view} />}
        </section>
      </div>
    </>
  );
  const title = isAll ? 'Components' : `${search.q || 'Components'} – search`;
  return renderPage({ node, part: 'components', title, main, hasResults: true });
}

type Asked = Pick<HomeView, 'node' | 'search'>;

/** What this is. */
function Introduction({ node, search }: Asked) {
  if (!isEmpty(search)) {
    const data = link(`${rootPath(node.baseUrl)}/data`, 'what renders your data');
    return (
      <h1 class="quiet">
        Components on {hostOf(node.baseUrl)}, or {data}
      </h1>
    );
  }
  return (
    <>
      <h1>Which component renders your data?</h1>
      <p class="lead">
        This registry lists web components, which are programs that show data in a page, by the <em>shape</em>{' '}
        of the data: what it is about, as a person, an event or a recipe. Their authors describe them in their{' '}
        <em>pods</em>, which are places on the web for data of one's own. Find one by name or by shape, or
        begin with your data.
      </p>
    </>
  );
}

function SearchForm({ node, search }: Asked) {
  const hint = (
    <>
      Words, tags, authors, or a shape: <code>foaf:Person</code>, or its whole address.
    </>
  );
  const hidden = LISTS.flatMap((name) => search[name].map((value) => [name, value] as const));
  const about = { action: `${rootPath(node.baseUrl)}/`, label: 'Find a component', button: 'Search' };
  return <Question {...about} name="q" type="search" value={search.q} hidden={hidden} hint={hint} />;
}

/** Links that narrow the results down to a shape, a tag or an author, each with the number of matches that it would leave. */
function Facets({ node, search, offers }: HomeView) {
  const root = rootPath(node.baseUrl);
  return (
    <aside id="facets" aria-label="Narrow down">
      {offers === undefined && <p class="hint">These are too many to count. Look for one more word.</p>}
      {LISTS.filter((name) => offers?.[name].length).map((name) => (
        <section aria-labelledby={`facet-${name}`}>
          <h2 id={`facet-${name}`}>{FIELDS[name].title}</h2>
          <ul class="facet">
            {offers?.[name].map(([value, count]) => (
              <li>
                <a href={`${root}/${searchParameters(toggled(search, name, value))}`} title={value}>
                  <span>{FIELDS[name].label(value)}</span> <small>{count.toLocaleString('en')}</small>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </aside>
  );
}

/** The chosen shapes, tags and authors, each with a link that removes it from the search. */
function Chosen({ node, search }: Asked) {
  const chips = LISTS.flatMap((name) =>
    search[name].map((value) => {
      const label = FIELDS[name].label(value);
      const without = `${rootPath(node.baseUrl)}/${searchParameters(toggled(search, name, value))}`;
      return (
        <li>
          <a class="chip on" href={without} title={value} aria-label={`${label}, remove`}>
            {label} ×
          </a>
        </li>
      );
    }),
  );
  return chips.length === 0 ? null : <ul class="chips">{chips}</ul>;
}

/** Longest value of an entry that is a link, in characters: fifty entries of values as long as there may be are 14 MB. */
const LONGEST_LINKED = 256;
/** Most shapes, tags and authors that an entry shows; its page has all of them. */
const SHOWN_VALUES = 8;

function entry(served: Description, look: ModuleLook | undefined, baseUrl: string) {
  const { uri, description, tag, author } = served.metadata;
  const shapes = indexedValues(served.metadata, 'shapes');
  const path = componentPath(baseUrl, uri);
  const links = (name: ListName, style: string, values: readonly string[]) =>
    values.slice(0, SHOWN_VALUES).map((value) => {
      const words = excerpt(FIELDS[name].label(value), LABEL_LENGTH);
      if (value.length > LONGEST_LINKED) return <span class={style}>{words}</span>;
      const search = `${rootPath(baseUrl)}/?${name}=${encodeURIComponent(value)}`;
      return (
        <a class={style} href={search} title={value}>
          {words}
        </a>
      );
    });
  const hidden = [shapes, tag].reduce((sum, { length }) => sum + Math.max(length - SHOWN_VALUES, 0), 0);
  return (
    <li>
      <h3>
        <ComponentName of={served} href={path} />
      </h3>
      {description && <p>{excerpt(description)}</p>}
      <p class="meta">
        {links('shapes', 'shape', shapes)}
        {links('tag', 'tag', tag)}
        {hidden > 0 && <a href={path}>{hidden} more</a>}
      </p>
      <p class="by">
        {author.length > 0 && <span>by {separated(links('author', 'author', author))}</span>}
        <span>{sourceWords(served)}</span>
        <span>updated {time(served.since)}</span>
        {look && (
          <span>
            <ModuleWords look={look} />
          </span>
        )}
      </p>
    </li>
  );
}

function sourceWords({ source, trust }: Description): string {
  if (source.kind === 'sample') return 'comes with this software';
  if (source.kind !== 'local') return `from ${sourceName(source)}`;
  return trust === 'own' ? 'described on this node' : 'described on the node that this one mirrors';
}

/** The ways to the other pages of results, which are in the order of addresses. */
function Neighbours({ node, search, next }: HomeView) {
  const root = rootPath(node.baseUrl);
  const more = next !== undefined && `${root}/${searchParameters(search, next)}`;
  return (
    <nav class="pages" aria-label="More pages">
      {search.after !== '' && link(`${root}/${searchParameters(search)}`, 'First page')}
      {more && (
        <a rel="next" href={more}>
          Next page
        </a>
      )}
    </nav>
  );
}

function Nothing({ node, search, total }: Pick<HomeView, 'node' | 'search' | 'total'>) {
  const root = rootPath(node.baseUrl);
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
    <>
      {fault && <p class="alert">There is a shape that nobody can find: {fault}.</p>}
      <p>
        Nothing matches all of this. {link(`${root}/`, 'Show all components')}, or ask{' '}
        {link(`${root}/why${uri}`, 'why a component is not here')}.
      </p>
    </>
  );
}
