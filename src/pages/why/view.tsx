import { REFUSAL_ADVICE, REFUSAL_REASONS } from '../../core/refusal.js';
import { isSameAddress, type UnreadSource, type Why } from '../../explain/why.js';
import { componentPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { hintForm, Question } from '../shell/forms.js';
import {
  address,
  link,
  type Markup,
  type Phrase,
  placeOf,
  type RowProps,
  Rows,
  Section,
  since,
  sourceAtLength,
  time,
} from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';
import { stateOfSource } from '../shell/source-look.js';

/** Descriptions of a component that the page names; the answer for programs has more. */
const SHOWN = 100;

/** How it was asked for something. */
export interface Asked {
  /** As a document, which may be a description and can be checked. */
  readonly isDocument: boolean;
  /** Has the visitor just had it read again? */
  readonly isAgain: boolean;
  /** It is no address at all, and nothing is known of it. */
  readonly isRubbish?: boolean;
}

interface AgainProps extends Asked {
  readonly url: string;
  readonly node: NodeView;
}

/** What a visitor can have done with a document or a source: it works without scripts. */
export function Again({ url, node, isDocument, isAgain }: AgainProps) {
  return (
    <>
      {isAgain && (
        <p class="hint" role="status">
          This node was asked to read it again, and does so within seconds if nobody has asked within the last
          minute. This page follows by itself.
        </p>
      )}
      {hintForm(url, node)}
      {isDocument && link(`${node.root}/publish#checking`, 'Check a document')}
    </>
  );
}

/**
 * Who describes a component, who won, and what keeps others from being served; of a source, and of a document that was not
 * read, what is known of it. Without `why`, nothing has been asked yet. `documents`: of a source or a container.
 */
export function whyPage(
  node: NodeView,
  asked: Asked,
  why?: Why,
  documents: readonly RowProps[] = [],
): string {
  const isRead = asked.isDocument || why?.source !== undefined;
  // What was asked for stands in its own form, above the answer; the other form is below.
  const isAddress = isRead || documents.length > 0;
  const asking = { value: why?.uri, fault: asked.isRubbish ? NO_IRI : undefined };
  const [first, second] = isAddress
    ? [documentForm(node, asking), componentForm(node)]
    : [componentForm(node, asking), documentForm(node)];
  const main = (
    <>
      <h1>Why, and why not</h1>
      {first}
      {why && !asked.isRubbish && (
        <div id="read" data-live={isRead || undefined}>
          <p class="lead">{conclusion(why, node.baseUrl, asked, documents.length > 0)}</p>
          {listsOf(why, node, documents).map(([id, title, rows]) => (
            <Section id={id} title={title}>
              <Rows rows={rows} />
            </Section>
          ))}
        </div>
      )}
      {why && isRead && !asked.isRubbish && <Again url={why.uri} node={node} {...asked} />}
      {second}
      <p class="hint">
        Says who describes a component here, who won, and what keeps others from being served; for programs,
        with <code>Accept: application/json</code>. All sources: {link(`${node.root}/network`, 'network')}
      </p>
    </>
  );
  return renderPage({ node, part: 'components', title: 'Why', main });
}

const NO_IRI = 'This is no address: it must begin with a scheme, as https:// is one, and have no spaces';

type Asking = Pick<Parameters<typeof Question>[0], 'value' | 'fault'>;

function componentForm(node: NodeView, asking: Asking = {}) {
  return (
    <Question
      {...{ ...questionOn(node, 'component'), ...asking }}
      name="uri"
      type="text"
      label="Uri of the component"
    />
  );
}

/** Asks for the receipt of a document. */
export function documentForm(node: NodeView, asking: Asking = {}) {
  const label = 'URL of a document that describes some';
  return <Question {...{ ...questionOn(node, 'document'), ...asking, label }} name="document" type="url" />;
}

function questionOn({ root }: NodeView, what: string) {
  const form = { action: `${root}/why` };
  return { form, button: `Ask about the ${what}`, input: { placeholder: 'https://…' } };
}

type List = readonly [id: string, title: string, rows: readonly RowProps[]];

/** What there is to say, without lists that are empty. */
function listsOf(why: Why, node: NodeView, documents: readonly RowProps[]): List[] {
  const { source, statements, more = 0, invalid, removed, refused, elsewhere = {}, unread } = why;
  const rest = statements.length + more - SHOWN;
  // What is served, or a source itself, is not explained by how others fare.
  const isAbsent = statements.length === 0 && !(source && isSameAddress(source.url, why.uri));
  const others = isAbsent ? unread.filter(({ url }) => url !== source?.url) : [];
  const described = statements
    .slice(0, SHOWN)
    .map((one) =>
      said(
        one,
        ['has said so ', since(one.since)],
        one.lastSeen !== undefined && pollWords(one.lastSeen, one.nextPoll),
        one.served ? one.rule : `not served: ${one.rule}`,
      ),
    );
  const notReadPath = `${node.root}/network#refused`;
  const notRead = REFUSAL_REASONS.filter((reason) => elsewhere[reason]).map((reason) => {
    const count = counted(elsewhere[reason] ?? 0, 'address', 'addresses');
    return { head: [link(notReadPath, count), `: ${REFUSAL_ADVICE[reason]}`] };
  });
  const notTaken = refused.map(({ url, via, reason }) => ({
    head: <strong>{address(url)}</strong>,
    notes: [`told by ${via}`, link(notReadPath, REFUSAL_ADVICE[reason])],
  }));
  const lists: List[] = [
    ['asked', 'The source', source ? [sourceRow(source, node)] : []],
    ['documents', 'Documents', documents],
    ['described', 'Described by', rest > 0 ? [...described, { head: `and ${rest} more` }] : described],
    ['invalid', 'Descriptions that break a rule', invalid.map((one) => said(one, [one.reasons.join('; ')]))],
    ['removed', 'Withdrawn', removed.map((one) => said(one, ['found gone ', time(one.at)]))],
    ['refused', 'Addresses that are not read', notTaken],
    ['elsewhere', 'It may be described where this node does not read', notRead],
    ['unread', 'Sources of which not everything is known', others.map((one) => unreadRow(one, node))],
  ];
  return lists.filter(([, , rows]) => rows.length > 0);
}

type Saying = Pick<Why['removed'][number], 'source' | 'document'>;

/** What a source says, or has said, in a document. */
function said({ source, document }: Saying, words: readonly Phrase[], ...more: readonly Phrase[]): RowProps {
  const head = <strong>{sourceAtLength(source)}</strong>;
  return { head, notes: [inDocument(document, ...words), ...more] };
}

function inDocument(document: string, ...words: readonly Phrase[]): Markup {
  return <>{[placeOf(document), ': ', ...words]}</>;
}

/** What became of a source or a document that was asked for itself. */
function sourceRow(source: NonNullable<Why['source']>, node: NodeView): RowProps {
  const { configured, components, documents } = source;
  const origin = configured ? 'in the configuration' : 'told of by peers';
  const brought = `${counted(components, 'component')} in ${counted(documents, 'document')}`;
  const { head, notes = [] } = unreadRow({ ...source, documents: [] }, node);
  return { head, notes: [`${origin}; ${brought}`, ...notes] };
}

/** How a source fares, and when it is read again. */
function unreadRow(
  { error, notice, lastSuccess, nextAttempt, documents, ...source }: UnreadSource,
  { root }: NodeView,
): RowProps {
  const state = stateOfSource({ ...source, invalid: [], failing: documents });
  return {
    head: [<strong>{sourceAtLength(source)}</strong>, ' ', state],
    notes: [
      error,
      notice && <>{[notice, ' ', link(`${root}/network`, 'For its operator')]}</>,
      pollWords(lastSuccess, nextAttempt),
      ...documents.map((one) => inDocument(one.url, one.error)),
    ],
  };
}

/** When a source was read, and when that is due again; ms since the Unix epoch. */
function pollWords(last: number | undefined, next: number | undefined): Markup {
  const words = last === undefined ? ['not read yet'] : ['last read ', time(last)];
  return <>{[...words, next !== undefined && [', again ', time(next)]]}</>;
}

function conclusion(why: Why, baseUrl: string, { isDocument }: Asked, isContainer: boolean): Phrase {
  const { uri, source, invalid, removed, refused, unread } = why;
  const [served] = why.statements;
  if (served) {
    const winner = sourceAtLength(served.source, 'this node itself');
    const path = componentPath(baseUrl, uri);
    const words =
      why.statements.length > 1 ? ': of all that describe it, this comes first: ' : ', as described by ';
    return <>{[link(path, 'It is served'), words, winner, '.']}</>;
  }
  if (invalid.length > 0) return 'It is not served: what describes it breaks a rule.';
  if (removed.length > 0 && refused.length > 0)
    return 'It is not served: it was, and where it was described is not read any more.';
  if (refused.length > 0)
    return isDocument || isContainer
      ? 'This node does not read it, for the reason below.'
      : 'It is not served: where it may be described is not read.';
  if (removed.length > 0) return 'It is not served: it was, and has been withdrawn.';
  if (source?.state === 'failing' && isSameAddress(source.url, uri)) {
    if (source.lastSuccess === undefined) return 'This node could not read it yet.';
    return 'This node cannot read it just now. What was read before stays.';
  }
  if (isContainer || (source && isSameAddress(source.url, uri)))
    return 'This node reads it. The uri of a component says why that is served, or not.';
  if (isDocument && source)
    return 'It is not read: its container does not list the document, or not as Turtle or JSON-LD.';
  if (isDocument) return 'It is not read: no source that this node reads has the document.';
  if (unread.length > 0)
    return 'It is not served: nothing that could be read describes it. Not everything could be read.';
  return 'It is not served: nothing that this node reads describes it.';
}
