import { parseCursor } from '../../core/cursor.js';
import { Problem } from '../../lib/http/problem.js';

/** Changes on a page: when nothing is said, and at most. */
export const PAGE_SIZE = { usual: 1000, most: 5000 } as const;

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
};

type ParameterName = keyof typeof READERS;
export type FeedParameters<N extends ParameterName> = {
  readonly [K in N]?: ReturnType<(typeof READERS)[K]>;
};

/** Reads some of the parameters; others mean nothing. @throws Problem 400 for repeated ones, and values that mean nothing */
export function readParameters<N extends ParameterName>(
  parameters: URLSearchParams,
  names: readonly N[],
): FeedParameters<N> {
  const read: { [K in N]?: unknown } = {};
  for (const [name, value] of parameters) {
    const named = names.find((one) => one === name);
    if (named === undefined) continue;
    if (named in read) throw new Problem(400, `The parameter ${name} is given more than once`);
    read[named] = READERS[named](value);
  }
  return read as FeedParameters<N>;
}

/** Parameters as they stand in an address, those without a value left out. */
export function parametersWith(
  values: Readonly<Record<string, string | number | undefined>>,
): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters;
}

function position(name: string, text: string): number {
  return POSITION.test(text) ? Number(text) : refuse(name, 'the position of a change, a whole number');
}

function refuse(name: string, allowed: string): never {
  throw new Problem(400, `The parameter ${name} must be ${allowed}`);
}
