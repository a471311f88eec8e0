import type { Child, PropsWithChildren } from 'hono/jsx';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { authoredName, holderOf } from '../../component/provenance.js';
import { LOCAL, SAMPLES, type Source, STARTER } from '../../component/source.js';
import { whyPath } from '../../http/paths.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';

/** A piece of HTML: jsx of hono, or what its `html` makes. Both escape all values. */
export type Markup = JSX.Element;

export function link(href: string, words: Child): Markup {
  return <a href={href}>{words}</a>;
}

/** A link for http and https URLs, else plain text: other schemes (`javascript:`) in metadata must not become links. */
export function address(text: string): Markup {
  return isWebAddress(text) ? <a {...{ href: text, rel: 'noreferrer' }}>{text}</a> : <bdi>{text}</bdi>;
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && canParseUrl(text);
}

/** The way to the page that says why a component, a document or a source is served as it is, or is not. */
export function why(baseUrl: string, uri: string): Markup {
  return <a {...{ class: 'why', href: whyPath(baseUrl, uri), 'aria-label': `Why: ${uri}` }}>why?</a>;
}

export function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + withoutTrailingSlashes(pathname);
}

/** A time in UTC (ms since the Unix epoch); the script of the page replaces it by how long ago it was. */
export function time(ms: number | undefined): Markup {
  if (ms === undefined) return <>–</>;
  return <time datetime={new Date(ms).toISOString()}>{momentOf(ms)}</time>;
}

function momentOf(ms: number): string {
  return `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

/** How long something has been so: the script of the page replaces "since" and the time by "for" and how long. */
export function since(ms: number): Markup {
  return <time {...{ datetime: new Date(ms).toISOString(), 'data-since': '' }}>since {momentOf(ms)}</time>;
}

/** An author as people would say it: of a WebID, the part that differs from others. */
export function authorName(author: string): string {
  if (!isWebAddress(author)) return author;
  return author
    .replace(/^https?:\/\//i, '')
    .replace(/\/profile\/card(#me)?$/, '')
    .replace(/\/$/, '');
}

/** Who describes a component, in a few words. */
export function sourceName({ kind, url }: Source): string {
  if (kind === 'sample') return url === STARTER.url ? 'starter set' : 'samples';
  return kind === 'local' ? 'this node' : hostOf(url);
}

/** The same at length. `own`: how the node itself is called. */
export function sourceAtLength(source: Source, own = 'This node itself'): Markup {
  const { kind, url } = source;
  if (kind === 'local') return <>{own}</>;
  if (kind === 'sample') return <>The {sourceName(source)} of this node</>;
  return <>{[kind === 'pod' ? 'Pod ' : 'Peer ', address(url)]}</>;
}

/** What a node holds by itself, behind which the node is named. */
const HELD: ReadonlyMap<string, string> = new Map([
  [LOCAL.url, 'what was posted to'],
  [SAMPLES.url, 'the samples of'],
  [STARTER.url, 'the starter set of'],
]);

/** Where something is said: in a document, or in what some node holds by itself. `linked`: how the document is named. */
export function placeOf(graph: string, linked: (document: string) => Markup = address): Markup {
  const name = authoredName(graph);
  const held = HELD.get(name);
  return <>{held ? [held, ' ', address(holderOf(graph) ?? 'this node')] : ['document ', linked(name)]}</>;
}

/** Stands before everything that does nothing without JavaScript: who has none reads it at once. */
export function needsScript(words: string | Markup): Markup {
  return (
    <noscript>
      <p class="alert">{words}</p>
    </noscript>
  );
}

/** Pieces one after the other, with commas between them. */
export function separated(pieces: readonly Markup[]): Markup {
  return <>{pieces.flatMap((piece, i) => (i > 0 ? [', ', piece] : [piece]))}</>;
}

/** An item of a list, with small print. */
export function item(words: Child, small: Child): Markup {
  return <li>{[words, ' ', small && <small>{small}</small>]}</li>;
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
}

/** A part of a page under a heading, which names it. */
export function Section({ id, title, children }: PropsWithChildren<SectionProps>) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A name, what is said of it, and what that means; false for what is left out. */
export type Fact = readonly [name: string, value: Child, meaning?: Child] | false;

export function Facts({ list }: { readonly list: readonly Fact[] }) {
  const rows = list.filter((fact) => fact !== false);
  return (
    <dl class="facts">
      {rows.map(([name, value, meaning]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {value} {meaning && <small>{meaning}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text, or a text with elements in it; nothing where a condition does not hold. */
export type Phrase = string | Markup | false | undefined;

export interface RowProps {
  readonly head: Phrase | readonly Phrase[];
  /** One line each, below the head. */
  readonly notes?: readonly Phrase[];
  /** Buttons. */
  readonly deeds?: readonly Phrase[];
}

/** What a list has to say of each thing. */
export function Rows({ rows }: { readonly rows: readonly RowProps[] }): Markup {
  return (
    <ul class="rows">
      {rows.map(({ head, notes = [], deeds = [] }) => (
        <li>
          {head}
          {notes.map((note) => note && <small>{note}</small>)}
          {deeds.some(Boolean) && <span class="actions">{deeds}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A badge behind a name. `title`: what it means at length. */
export function badge(style: string, words: string, title?: string): Child {
  return [' ', <span {...{ class: style, title }}>{words}</span>];
}

/** A piece of code under its title, which names it, too. `id`: where a script writes it. */
export function code(title: string, text: string, id?: string): Markup {
  return (
    <div class="code">
      <p>{title}</p>
      <pre {...{ role: 'region', 'aria-label': title }}>
        <code id={id}>{text}</code>
      </pre>
    </div>
  );
}
