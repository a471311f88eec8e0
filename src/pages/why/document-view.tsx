import { componentPath, documentPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { withoutStop } from '../../lib/sentence.js';
import { error as fault } from '../../publish/finding.js';
import { FindingList } from '../publish/finding-list.js';
import { address, badge, Facts, link, type RowProps, Section, since, time } from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';
import { icon, lookOf } from '../shell/source-look.js';
import type { KnownDocument } from './known-document.js';
import type { Received } from './receipt.js';
import { Again, type Asked, documentForm } from './view.js';

/** The page of a document that this node has read, or has tried to: the receipt of its author. */
export function documentPage(
  node: NodeView,
  document: KnownDocument,
  received: readonly Received[],
  asked: Asked,
): string {
  const { url, record } = document;
  const { components, error, invalid = [], readAt } = record;
  const wasNeverRead = readAt === undefined && components === 0 && error !== undefined;
  const [before, after] = wasNeverRead
    ? ['', '']
    : ['It could not be read the last time: ', ' What it said before stays as it is.'];
  const main = (
    <>
      <div id="read" data-live>
        <h1>{wasNeverRead ? 'This node could not read it' : 'What this node has read'}</h1>
        <p class="lead">{address(url)}</p>
        {error !== undefined && <p class="alert">{`${before}${withoutStop(error)}.${after}`}</p>}
        {facts(document, node.baseUrl)}
        {!wasNeverRead && (
          <Section id="described" title={`It describes ${counted(components, 'component')}`}>
            {received.map((one) => description(one, node.baseUrl))}
            {components > received.length && <p class="hint">These are {received.length} of them.</p>}
          </Section>
        )}
        {invalid.length > 0 && (
          <Section id="invalid" title="Not taken up">
            {invalid.map(({ subject, reasons }) => [
              <h3>{subject}</h3>,
              <FindingList findings={reasons.map((detail) => fault('brokenRule', { detail }))} />,
            ])}
          </Section>
        )}
      </div>
      <Again url={url} node={node} {...asked} />
      <Section id="another" title="Another document">
        {documentForm(node)}
      </Section>
    </>
  );
  return renderPage({ node, part: 'components', title: 'A document', main });
}

/** When was it read, in which form, and when is it looked at again? */
function facts({ source: { kind, url }, record, polled }: KnownDocument, baseUrl: string) {
  const { readAt, modified, lastModified, etag } = record;
  const form = [
    modified && `changed ${modified} (its container says so)`,
    lastModified && `Last-Modified ${lastModified}`,
    etag && `ETag ${etag}`,
  ].filter(Boolean);
  const source = kind === 'pod' ? link(documentPath(baseUrl, url), url) : address(url);
  return (
    <Facts
      list={[
        [kind === 'peer' ? 'Passed on by' : 'Source', source],
        readAt !== undefined && ['Read', time(readAt)],
        readAt !== undefined && form.length > 0 && ['In the form', form.map((line) => <div>{line}</div>)],
        ['Looked at', time(polled.lastSuccess)],
        ['Again', time(polled.nextAttempt)],
      ]}
    />
  );
}

function description({ uri, label, version, since: said, served, findings }: Received, baseUrl: string) {
  const path = componentPath(baseUrl, uri);
  const other = link(`${path}#sources`, 'another description');
  return (
    <>
      <h3>{[link(path, <bdi>{label}</bdi>), version && badge('version', version)]}</h3>
      <p class="by">
        <span>in this form {since(said)}</span>
        <span>{served ? 'served' : ['not served: ', other, ' is']}</span>
      </p>
      <FindingList findings={findings} />
    </>
  );
}

/** What is said of a document among others. */
export function documentRow({ url, record }: KnownDocument, baseUrl: string): RowProps {
  const { components, invalid = [], error } = record;
  const look = lookOf({ state: error === undefined ? 'ok' : 'failing', invalid, failing: [] });
  const words = [
    counted(components, 'component'),
    invalid.length > 0 && `${invalid.length} invalid`,
    error !== undefined && withoutStop(error),
  ];
  const head = [<span class={look}>{icon(look)}</span>, ' ', link(documentPath(baseUrl, url), url)];
  return { head, notes: [words.filter(Boolean).join(', ')] };
}
