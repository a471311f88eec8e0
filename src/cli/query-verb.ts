import { DEFAULT_LIMIT, DEFAULT_NODE, FORMAT_NAMES, queryNode } from './query-node.js';
import type { RunnableVerb } from './runnable-verb.js';

export const QUERY_VERB: RunnableVerb = {
  meaning: 'ask a node for components; words are searched for in labels, descriptions, tags and authors',
  flags: {
    shapes: { value: 'iri', meaning: 'a shape that they render, as an IRI or foaf:Person' },
    tag: { value: 'tag', meaning: 'a tag that they have' },
    author: { value: 'author', meaning: 'an author of theirs' },
    range: { value: 'semver', meaning: 'their version: one, or a range like ^1.0.0' },
    latest: { meaning: 'those that are the latest version' },
    node: { value: 'url', meaning: `the node that is asked (${DEFAULT_NODE} when absent)` },
    limit: { value: 'number', meaning: `how many are shown (${DEFAULT_LIMIT} when absent)` },
    format: { value: FORMAT_NAMES.join('|'), meaning: 'how they are shown (text when absent)' },
  },
  argument: 'words',
  optional: true,
  run: async (flags, words, { say }) => {
    const { node = DEFAULT_NODE, format = 'text', limit = DEFAULT_LIMIT, range, latest, ...others } = flags;
    const constraints = { q: words, version: range, latest, limit, ...others };
    const given = Object.entries(constraints).filter(([, value]) => value !== undefined && value !== '');
    const parameters = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
    say(await queryNode({ node: String(node), format: String(format), parameters }));
    return 0;
  },
};
