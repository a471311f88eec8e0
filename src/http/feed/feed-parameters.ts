import { parseCursor } from '../../core/cursor.js';
import { Problem } from '../../lib/http/problem.js';

/** Changes on a page: when nothing is said, and at most. */
export const PAGE_SIZE = { usual: 1000, most: 5000 } as const;

const WHOLE = /^(0|[1-9]\d{0,14})$/;
const A_POSITION = 'the position of a change, a whole number';

function whole(text: string): number | undefined {
  return WHOLE.test(text) ? Number(text) : undefined;
}

function limit(text: string): number | undefined {
  const number = whole(text) ?? 0;
  return number >= 1 && number <= PAGE_SIZE.most ? number : undefined;
}

/** The parameters of the feed by name: how each is read, undefined for what means nothing, and what is allowed. */
const PARAMETERS = {
  since: [parseCursor, 'a cursor that this node has given'],
  after: [whole, A_POSITION],
  until: [whole, A_POSITION],
  limit: [limit, `a whole number from 1 to ${PAGE_SIZE.most}`],
  epoch: [(text: string) => /^[0-9a-z]{1,16}$/.exec(text)?.[0], 'the first part of a cursor'],
} as const;

type Name = keyof typeof PARAMETERS;
export type FeedParameters<N extends Name> = {
  readonly [K in N]?: NonNullable<ReturnType<(typeof PARAMETERS)[K][0]>>;
};

/** Reads some of the parameters; others mean nothing. @throws Problem 400 for repeated ones, and values that mean nothing */
export function readParameters<N extends Name>(
  parameters: URLSearchParams,
  names: readonly N[],
): FeedParameters<N> {
  const read: { [K in N]?: unknown } = {};
  for (const [name, text] of parameters) {
    const named = names.find((one) => one === name);
    if (named === undefined) continue;
    if (named in read) throw new Problem(400, `The parameter ${name} is given more than once`);
    const [parse, allowed] = PARAMETERS[named];
    read[named] = parse(text);
    if (read[named] === undefined) throw new Problem(400, `The parameter ${name} must be ${allowed}`);
  }
  return read as FeedParameters<N>;
}

/** An address with those of the parameters that have a value. */
export function addressWith(
  address: string,
  values: Readonly<Record<string, string | number | undefined>>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}
