import { type Capability, canBeShown, DEFAULT_ACTION, KINDS } from '../../component/capability.js';
import { shapeName } from '../../component/shape-names.js';
import { LABEL_LENGTH, shortName } from '../shell/component-words.js';
import { address, authorName, Facts, isWebAddress, item, link, separated, time } from '../shell/fragments.js';
import type { ComponentView } from './component-view.js';
import { moduleWords } from './module-look.js';

/** What the description says of the component, where each value leads to all that have it. */
export function ComponentFacts({ statements: [{ metadata, since, pin }], look, node }: ComponentView) {
  const { uri, label, author, tag, shapes, capability = [], integrity = pin?.integrity } = metadata;
  const found = (name: string, value: string, words: string) =>
    link(`${node.root}/?${name}=${encodeURIComponent(value)}`, shortName(words));
  const shapeItems = shapes.map((iri) => item(found('shapes', iri, shapeName(iri)), iri));
  const authorItems = author.map((one) =>
    item(found('author', one, authorName(one)), isWebAddress(one) && address(one)),
  );
  const tags = tag.map((one) => <span class="tag">{found('tag', one, one)}</span>);
  const whose = metadata.integrity === undefined ? 'as this node saw them first' : 'promised by the author';
  const when = link(`${node.root}/network#pins-title`, 'when?');
  const what = canBeShown(metadata.capability) ? 'Module' : 'Application';
  return (
    <Facts
      list={[
        label.length > LABEL_LENGTH && ['Whole name', <bdi>{label}</bdi>],
        shapes.length > 0 && ['Renders', <ul>{shapeItems}</ul>],
        author.length > 0 && [author.length > 1 ? 'Authors' : 'Author', <ul>{authorItems}</ul>],
        tag.length > 0 && ['Tags', separated(tags)],
        capability.length > 0 && ['Can', <ul>{capability.map(can)}</ul>],
        [what, address(uri), look && [moduleWords(look), look.state === 'unknown' && [': ', when]]],
        integrity !== undefined && ['Bytes', <code>{integrity}</code>, whose],
        ['Updated', time(since), 'when this node first saw this description of it'],
      ]}
    />
  );
}

/** What a component can do with what, and how it is put to work, in plain words. */
function can({ action = DEFAULT_ACTION, resourceType = [], shape = [], summary, invocation }: Capability) {
  // `odrl:display` is display, and an IRI ends with its name, too.
  const word = action.split(/[:/#]/).at(-1) || action;
  const what = [...resourceType, ...shape].map(shapeName).join(', ');
  const means = invocation?.map((one) => {
    if (one.type === KINDS.element) return `as the element <${one.element}>`;
    return one.type === KINDS.fragment ? 'as a piece of HTML' : 'by a link that opens it';
  });
  const how = means ? means.join(', or ') : 'by the attribute entry and the events of this registry';
  return item([word, what, summary].filter(Boolean).join(' '), how);
}
