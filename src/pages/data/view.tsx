import { canBeShown } from '../../component/capability.js';
import { shapeName } from '../../component/shape-names.js';
import type { Match } from '../../core/match.js';
import type { Missing } from '../../core/match-fit.js';
import { dataTableUri } from '../../http/components/data-table.js';
import type { MatchedGroup } from '../../http/matching/find-matches.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { componentPath, rootPath, trialPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { excerpt } from '../../lib/excerpt.js';
import { framePath } from '../component/trial.js';
import { ComponentName, ModuleWords } from '../shell/component-words.js';
import { DataForm, Question } from '../shell/forms.js';
import { link, needsScript } from '../shell/fragments.js';
import { renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';

export interface DataView {
  readonly node: NodeView;
  /** URL of the visitor's data, `''` when none has been named yet. */
  readonly url: string;
  /** Is anything known of it? */
  readonly isRead: boolean;
  readonly shapes: readonly string[];
  /** What the visitor called its shape, where that is neither an IRI nor a known prefixed name. */
  readonly unknown: string | undefined;
  /** The components that fit it, the best first, and the table of this node where no other shows anything. */
  readonly matches: readonly Match<MatchedGroup>[];
  /** What is known of the modules of these, each at the same index. */
  readonly looks: readonly (ModuleLook | undefined)[];
}

/** Most components that are listed. */
export const ENTRIES = 50;
/** Components that render the data on the page itself; as many more stand by, for those that fail. */
const LIVE = 6;

/** The page at `/data`: which components render the visitor's data. The visitor's browser reads it, never the node. */
export function dataPage(view: DataView): string {
  const { node, url, isRead } = view;
  const title = 'What renders your data?';
  const named = url === '' ? 'name its address, and then ' : '';
  const main = (
    <>
      <h1>{title}</h1>
      {needsScript(
        `Your browser reads your data, and needs JavaScript for that. Without it, ${named}say yourself what it is.`,
      )}
      <DataForm node={node} label="Where it is" url={url} />
      <p role="status" id="progress" hidden />
      {url !== '' && (isRead ? <Found {...view} /> : <Reading {...view} />)}
    </>
  );
  const hasResults = url !== '' && isRead;
  return renderPage({ node, part: 'components', title, main, scripts: ['data.js'], hasResults });
}

/**
 * Until the script has read the data: it then asks for this page again, with the shapes. Also where the visitor has said what
 * it is, in words that nobody knows.
 */
function Reading(view: DataView) {
  const { node, url, unknown } = view;
  if (unknown === undefined) {
    return (
      <section id="reading" data-url={url}>
        <ShapesForm {...view} />
      </section>
    );
  }
  const search = `${rootPath(node.baseUrl)}/?${new URLSearchParams({ q: unknown })}`;
  return (
    <>
      <p class="alert" role="alert">
        {unknown} is neither an IRI nor a prefixed name that is known here.{' '}
        {link(search, 'Components with this word')}
      </p>
      <ShapesForm {...view} />
    </>
  );
}

function ShapesForm({ node, url, shapes }: DataView) {
  const isOpen = shapes.length === 0;
  const about = { action: `${rootPath(node.baseUrl)}/data`, label: 'Its shape', button: 'Show' };
  const field = { name: 'shapes', type: 'text', placeholder: 'foaf:Person', hidden: [['url', url]] } as const;
  return (
    <details open={isOpen}>
      <summary>{isOpen ? 'Say yourself what it is' : 'Is it something else?'}</summary>
      <Question {...about} {...field} />
    </details>
  );
}

function Found(view: DataView) {
  const { node, shapes, matches } = view;
  const root = rootPath(node.baseUrl);
  const count = matches.filter((match) => !isOwn(match, node)).length;
  const title =
    count === 0
      ? 'No component here renders it'
      : `${counted(count, 'component')} ${count === 1 ? 'renders' : 'render'} it`;
  return (
    <section id="found" aria-labelledby="count">
      <h2 id="count" tabindex={-1}>
        {title}
      </h2>
      {shapes.length > 0 && (
        <div class="chips">
          <span>It is</span>
          <ul class="chips">
            {shapes.map((shape) => (
              <li>
                <a class="chip" href={`${root}/?shapes=${encodeURIComponent(shape)}`} title={shape}>
                  {shapeName(shape)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <p class="hint">
        Of your data this node is told the names of classes and properties, and never a value.
      </p>
      {count === 0 && (
        <p>
          Nobody has described one yet. {link(`${root}/`, 'These components')} are here; and if you{' '}
          {link(`${root}/publish`, 'write a component')}, you can be the first. If there should be one:{' '}
          {link(`${root}/why`, 'why is it not here?')}
        </p>
      )}
      <ol class="components">{matches.map((match, rank) => entry(match, rank, view))}</ol>
      {count === ENTRIES && (
        <p class="hint">These fit best. The shapes above lead to all components that render them.</p>
      )}
      <ShapesForm {...view} />
    </section>
  );
}

/** @param rank from 0 */
function entry(match: Match<MatchedGroup>, rank: number, { node, url, looks }: DataView) {
  const { head } = match.candidate.group;
  const { uri, label, description, capability } = head.metadata;
  const look = looks[rank];
  const large = trialPath(node.baseUrl, uri, url);
  const button = (href: string, words: string) => (
    <a class="button second" href={href}>
      {words}
      <span class="unseen"> {label}</span>
    </a>
  );
  const isTried = isOwn(match, node) || (rank < 2 * LIVE && look?.state !== 'dead');
  const isLater = rank >= LIVE && !isOwn(match, node);
  return (
    <li class="match">
      <div>
        <h3>
          <ComponentName of={head} href={componentPath(node.baseUrl, uri)} />
        </h3>
        {description && <p>{excerpt(description)}</p>}
        <ul class="reasons">
          {match.because.map(({ text }) => (
            <li>{text}</li>
          ))}
          {notShown(match.missing)}
        </ul>
        {look && (
          <p class="by">
            <span>
              <ModuleWords look={look} />
            </span>
          </p>
        )}
      </div>
      <div>
        {button(large, 'Open large')} {button(`${large}#use`, 'Use this one')}
      </div>
      {isTried && canBeShown(capability) && (
        <div
          class="live"
          data-frame={framePath(node, uri, url)}
          data-title={`${label}, with your data`}
          data-later={isLater ? '' : undefined}
        />
      )}
    </li>
  );
}

/** Is it the table that every node has? It is shown in any case, because the components before it may fail. */
function isOwn({ candidate: { metadata } }: Match<MatchedGroup>, { baseUrl }: NodeView): boolean {
  return metadata.uri === dataTableUri(baseUrl);
}

/** What the data has and the component does not say that it shows. */
function notShown({ types, predicates }: Missing) {
  const names = [...types, ...predicates].map(shapeName);
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return names.length > 0 && <li>{`says nothing of ${names.slice(0, 3).join(', ')}${more}`}</li>;
}
