import type { PropsWithChildren } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import {
  type Capability,
  canBeShown,
  DEFAULT_ACTION,
  type Invocation,
  KINDS,
} from '../../component/capability.js';
import { shapeName } from '../../component/shape-names.js';
import { isOfThisNode } from '../../component/source.js';
import type { Facts, ModuleHost } from '../../explain/facts.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { ModuleWords } from '../shell/component-words.js';
import { address, authorName, separated, time } from '../shell/fragments.js';

function Fact({ name, children }: PropsWithChildren<{ readonly name: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface SaidProps {
  readonly served: Description;
  readonly look: ModuleLook | undefined;
  readonly baseUrl: string;
}

/** What the description says of the component. */
export function Said({ served: { metadata, since, pin }, look, baseUrl }: SaidProps) {
  const { uri, author, tag, shapes, capability = [], integrity = pin?.integrity } = metadata;
  const search = (name: string, value: string, text: string) => (
    <a href={`${rootPath(baseUrl)}/?${name}=${encodeURIComponent(value)}`}>{text}</a>
  );
  const shapeItems = shapes.map((iri) => (
    <li>
      {search('shapes', iri, shapeName(iri))} <small>{iri}</small>
    </li>
  ));
  const authorItems = author.map((one) => (
    <li>
      {search('author', one, authorName(one))} {authorName(one) !== one && <small>{address(one)}</small>}
    </li>
  ));
  const tags = tag.map((one) => (
    <>
      <span class="tag">{search('tag', one, one)}</span>{' '}
    </>
  ));
  return (
    <dl class="facts">
      {shapes.length > 0 && (
        <Fact name="Renders">
          <ul>{shapeItems}</ul>
        </Fact>
      )}
      {author.length > 0 && (
        <Fact name={author.length > 1 ? 'Authors' : 'Author'}>
          <ul>{authorItems}</ul>
        </Fact>
      )}
      {tag.length > 0 && <Fact name="Tags">{tags}</Fact>}
      {capability.length > 0 && (
        <Fact name="Can">
          <ul>
            {capability.map((one) => (
              <Can capability={one} />
            ))}
          </ul>
        </Fact>
      )}
      <Fact name={canBeShown(metadata.capability) ? 'Module' : 'Application'}>
        {address(uri)}
        {look && (
          <>
            <br />
            <small>
              <ModuleWords look={look} />
            </small>
          </>
        )}
      </Fact>
      {integrity !== undefined && (
        <Fact name="Bytes">
          <code>{integrity}</code>{' '}
          <small>
            {metadata.integrity === undefined ? 'as this node saw them first' : 'promised by the author'}
          </small>
        </Fact>
      )}
      <Fact name="Updated">
        {time(since)} <small>when this node first saw this description of it</small>
      </Fact>
    </dl>
  );
}

/** What a component can do with what, and how it is put to work, in plain words. */
function Can({ capability }: { readonly capability: Capability }) {
  const { action = DEFAULT_ACTION, resourceType = [], shape = [], accept = [], output = [] } = capability;
  // `odrl:display` is display, and an IRI ends with its name, too.
  const word = action.split(/[:/#]/).at(-1) || action;
  const what = [...resourceType, ...shape].map(shapeName).join(', ');
  return (
    <li>
      {[word, what].filter((part) => part !== '').join(' ')}
      {accept.length > 0 && ` given as ${accept.join(', ')}`}
      {output.length > 0 && `, which becomes ${output.join(', ')}`}
      {capability.summary && (
        <>
          : <bdi>{capability.summary}</bdi>
        </>
      )}{' '}
      <small>{means(capability.invocation)}</small>
    </li>
  );
}

function means(invocations: readonly Invocation[] | undefined) {
  if (!invocations)
    return (
      <>
        by the attribute <code>entry</code> and the events of this registry
      </>
    );
  if (invocations.length === 0) return <>its author does not say how</>;
  return separated(invocations.map(meansOf));
}

function meansOf(invocation: Invocation) {
  if (invocation.type === KINDS.element)
    return (
      <>
        as the element <code>{`<${invocation.element}>`}</code>
      </>
    );
  return <>{invocation.type === KINDS.fragment ? 'as a piece of HTML' : 'by a link that opens it'}</>;
}

const HOST_WORDS: Readonly<Record<ModuleHost, string>> = {
  node: 'this node itself',
  source: 'the host that describes it, too',
  'named-author': 'not the host that describes it; an author whom the description names is there',
  other: 'neither the host that describes it nor that of an author whom the description names',
};

interface KnownProps {
  readonly facts: Facts;
  readonly source: Description['source'];
}

/** What this node knows of a component by itself, for those who ask whether they may use it. */
export function Known({
  facts: { firstSeen, sourceFirstRead, module, npm, sameName, bytes },
  source,
}: KnownProps) {
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">What this node knows by itself</h2>
      <p class="hint">No author can make any of this look better than it is.</p>
      <dl class="facts">
        <Fact name="First seen">
          {time(firstSeen)}{' '}
          <small>at the latest: an edit of its description can only move this to a later time</small>
        </Fact>
        {!isOfThisNode(source) && (
          <Fact name="Its source">
            {sourceFirstRead === undefined ? (
              'was not read by this node itself'
            ) : (
              <>first read {time(sourceFirstRead)}</>
            )}
          </Fact>
        )}
        <Fact name="Comes from">
          {module.host} <small>{HOST_WORDS[module.of]}</small>
        </Fact>
        {npm && (
          <Fact name="npm package">
            <a href={`https://www.npmjs.com/package/${npm.name}/v/${npm.version}`} rel="noreferrer">
              {npm.name} {npm.version}
            </a>{' '}
            <small>
              by its address at {npm.cdn}. Nobody here has compared the bytes; npm's page says who published
              the package, and from which source code.
            </small>
          </Fact>
        )}
        <Fact name="Same name">
          {sameName === 0 ? (
            'no component of another source'
          ) : (
            <a href="#namesakes">
              {counted(sameName, 'component of another source', 'components of other sources')}
            </a>
          )}
        </Fact>
        <Fact name="Changed">{bytesWords(bytes)}</Fact>
      </dl>
    </section>
  );
}

function bytesWords(bytes: Facts['bytes']) {
  if (!bytes) return <>this node has not looked at its bytes</>;
  const { firstSeen, changed, changedAt } = bytes;
  return changed ? (
    <>yes: its bytes were others {time(changedAt ?? firstSeen)}</>
  ) : (
    <>no: the bytes are as they were {time(firstSeen)}</>
  );
}
