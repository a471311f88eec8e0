import { shapeName } from '../../component/shape-names.js';
import type { Match } from '../../core/match.js';
import type { Missing } from '../../core/match-fit.js';
import type { MatchedGroup } from '../../http/matching/find-matches.js';
import { trialPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { excerpt } from '../../lib/excerpt.js';
import { Live } from '../component/live.js';
import { ComponentName, MEANINGS, shortName } from '../shell/component-words.js';
import { DataForm, NO_ADDRESS, Question } from '../shell/forms.js';
import { link, needsScript } from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';

interface DataView {
  readonly node: NodeView;
  /** URL of the visitor's data, `''` when none has been named yet. */
  readonly url: string;
  /** What the visitor entered instead of a URL. */
  readonly mistyped: string | undefined;
  /** Is anything known of it? */
  readonly isRead: boolean;
  readonly shapes: readonly string[];
  /** What the visitor called its shape, where that is neither an IRI nor a known prefixed name. */
  readonly unknown: string | undefined;
  /** The components that fit it, the best first. */
  readonly matches: readonly Match<MatchedGroup>[];
}

/** Most components that are listed. */
export const ENTRIES = 50;
/** Components that render the data on the page itself. */
const LIVE = 6;

/** The page at `/data`: which components render the visitor's data. The visitor's browser reads it, never the node. */
export function dataPage(view: DataView): string {
  const { node, url, mistyped, unknown } = view;
  const title = 'What renders your data?';
  const named = url === '' ? 'name its address, and then ' : '';
  const hasResults = url !== '' && view.isRead;
  const search = `${node.root}/?${new URLSearchParams({ q: unknown ?? '' })}`;
  const main = (
    <>
      <h1>{title}</h1>
      {needsScript(
        `Your browser reads your data, and needs JavaScript for that. Without it, ${named}say yourself what it is.`,
      )}
      <DataForm node={node} label="Where it is" url={mistyped ?? url} fault={mistyped && NO_ADDRESS} />
      <p role="status" id="progress" hidden />
      {hasResults && found(view)}
      {unknown !== undefined && (
        <p class="alert" role="alert">
          {unknown} is neither an IRI nor a prefixed name that is known here.{' '}
          {link(search, 'Components with this word')}
        </p>
      )}
      {/* Where nothing is known yet, the script reads the data: it then asks for this page again, with the shapes. */}
      {url !== '' && !hasResults && unknown === undefined && <div id="reading" data-url={url} />}
      {url !== '' && shapesForm(view)}
    </>
  );
  return renderPage({ node, part: 'components', title, main, scripts: ['data.js'], hasResults });
}

function shapesForm({ node, url, shapes }: DataView) {
  const isOpen = shapes.length === 0;
  const form = { action: `${node.root}/data` };
  const about = { form, label: 'Its shape', hint: MEANINGS.shape, button: 'Show' };
  const input = { placeholder: 'foaf:Person' };
  return (
    <details open={isOpen}>
      <summary>{isOpen ? 'Say yourself what it is' : 'Is it something else?'}</summary>
      <Question {...{ ...about, input }} name="shapes" type="text" hidden={[['url', url]]} />
    </details>
  );
}

function found(view: DataView) {
  const { shapes, matches } = view;
  const { root } = view.node;
  const { length } = matches;
  const known = `${counted(length, 'component')} ${length === 1 ? 'renders' : 'render'} it`;
  const chips = shapes.map((shape) => {
    const href = `${root}/?shapes=${encodeURIComponent(shape)}`;
    return <li>{<a {...{ class: 'chip', href, title: shape }}>{shapeName(shape)}</a>}</li>;
  });
  return (
    <section id="found" aria-labelledby="count">
      <h2 {...{ id: 'count', tabindex: -1 }}>{length === 0 ? 'No component here renders it' : known}</h2>
      <p role="status" class="hint" id="blank" hidden />
      {shapes.length > 0 && (
        <div class="chips">
          It is <ul class="chips">{chips}</ul>
        </div>
      )}
      <p class="hint">
        Of your data this node is told the names of classes and properties, and never a value.
      </p>
      {length === 0 && (
        <p>
          Nobody has described one yet. {link(`${root}/`, 'These components')} are here; and if you{' '}
          {link(`${root}/publish`, 'write a component')}, you can be the first. If there should be one:{' '}
          {link(`${root}/why`, 'why is it not here?')}
        </p>
      )}
      <ol class="components">{matches.map((match, rank) => entry(match, rank, view))}</ol>
      {length === ENTRIES && (
        <p class="hint">These fit best. The shapes above lead to all components that render them.</p>
      )}
    </section>
  );
}

/** @param rank from 0 */
function entry({ candidate, because, missing }: Match<MatchedGroup>, rank: number, { node, url }: DataView) {
  const { metadata } = candidate.group.head;
  const { uri, description } = metadata;
  const label = shortName(metadata.label);
  const large = trialPath(node.baseUrl, uri, url);
  const button = (href: string, words: string) => (
    <a {...{ class: 'button second', href, 'aria-label': `${words} ${label}` }}>{words}</a>
  );
  const reasons = [...because.map(({ text }) => text), ...notShown(missing)];
  return (
    <li class="match">
      <div>
        <h3>
          <ComponentName of={candidate.group.head} href={large} />
        </h3>
        {description && <p>{excerpt(description)}</p>}
        <ul class="reasons">
          {reasons.map((text) => (
            <li>{text}</li>
          ))}
        </ul>
      </div>
      <div>
        {button(large, 'Open large')} {button(`${large}#use`, 'Use this one')}
      </div>
      {rank < LIVE && <Live node={node} metadata={metadata} entry={url} title={`${label}, with your data`} />}
    </li>
  );
}

/** What the data has and the component does not say that it shows. */
function notShown({ types, predicates }: Missing): string[] {
  const names = [...types, ...predicates].map(shapeName);
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return names.length === 0 ? [] : [`does not say that it shows ${names.slice(0, 3).join(', ')}${more}`];
}
