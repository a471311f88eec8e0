import type { SourceKind } from '../../component/source.js';
import { parseCursor } from '../../core/cursor.js';
import { Problem } from '../../lib/http/problem.js';
import { MOST_HOPS, scopeIn } from '../network/list-scopes.js';

/** Changes on a page: when nothing is said, and at most. */
export const PAGE_SIZE = { usual: 1000, most: 5000 } as const;

export const FEED_KINDS = ['local', 'pod', 'peer'] as const satisfies readonly SourceKind[];
export type FeedKind = (typeof FEED_KINDS)[number];

const POSITION = /^(0|[1-9]\d{0,14})$/;

/** The parameters of the feed, by the name that they have in the URL. */
const READERS = {
  since: (text: string) => parseCursor(text) ?? refuse('since', 'a cursor that this node has given'),
  after: (text: string) => position('after', text),
  until: (text: string) => position('until', text),
  limit: (text: string) => {
    const limit = POSITION.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= PAGE_SIZE.most
      ? limit
      : refuse('limit', `a whole number from 1 to ${PAGE_SIZE.most}`);
  },
  epoch: (text: string) =>
    /^[0-9a-z]{1,16}$/.test(text) ? text : refuse('epoch', 'the first part of a cursor'),
  url: (text: string) => (text === '' ? refuse('url', 'the URL of a source') : text),
  kind: (text: string) => FEED_KINDS.find((one) => one === text) ?? refuse('kind', 'local, pod or peer'),
  kinds: (text: string) =>
    kindsIn(text) ?? refuse('kinds', 'some of local, pod and peer, each once, with commas between them'),
  hops: (text: string) => scopeIn(text) ?? refuse('hops', `a whole number from 0 to ${MOST_HOPS}`),
};

type ParameterName = keyof typeof READERS;
export type FeedParameters<N extends ParameterName> = {
  readonly [K in N]?: ReturnType<(typeof READERS)[K]>;
};

/** Reads some of the parameters. @throws Problem 400 for others, repeated ones, and values that mean nothing */
export function readParameters<N extends ParameterName>(
  parameters: URLSearchParams,
  names: readonly N[],
): FeedParameters<N> {
  const read: { [K in N]?: unknown } = {};
  for (const [name, value] of parameters) {
    const named = names.find((one) => one === name);
    if (named === undefined) {
      const there = names.length === 0 ? 'there is none here' : `there are ${names.join(', ')}`;
      throw new Problem(
        400,
        `The parameter ${JSON.stringify(name.slice(0, 40))} means nothing here; ${there}`,
      );
    }
    if (named in read) throw new Problem(400, `The parameter ${name} is given more than once`);
    read[named] = READERS[named](value);
  }
  return read as FeedParameters<N>;
}

/** Parameters as they stand in an address, those without a value left out; of lists, one with commas. */
export function parametersWith(
  values: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters;
}

/** In the order of `FEED_KINDS`, so that the same kinds are always the same text. */
function kindsIn(text: string): readonly FeedKind[] | undefined {
  const named = text.split(',');
  const kinds = FEED_KINDS.filter((kind) => named.includes(kind));
  return kinds.length === named.length ? kinds : undefined;
}

function position(name: string, text: string): number {
  return POSITION.test(text) ? Number(text) : refuse(name, 'the position of a change, a whole number');
}

function refuse(name: string, allowed: string): never {
  throw new Problem(400, `The parameter ${name} must be ${allowed}`);
}
