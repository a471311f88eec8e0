import type { Clock } from '../../lib/clock.js';

/** How long a peer that does not know the parameters is asked without them, in ms: it may be brought up to date. */
const DAY = 24 * 60 * 60 * 1000;

export type Parameters = Readonly<Record<string, string | undefined>>;

/** An address with those of these parameters that have a value, in this order. A comma means nothing in a query, and need not be escaped. */
export function addressWith(address: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  return query.size === 0 ? address : `${address}?${query.toString().replaceAll('%2C', ',')}`;
}

/** Remembers, as long as this process runs, when a peer did not understand being asked for a part. */
export class RefusedParts {
  readonly #clock: Clock;
  #at: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Is the peer to be asked for everything? */
  get isRefused(): boolean {
    return this.#at !== undefined && this.#clock.now() - this.#at < DAY;
  }

  note(): void {
    this.#at = this.#clock.now();
  }
}

/**
 * The part of what a peer says that this node can use, as parameters: of its feed and its stream of hints the kinds of sources,
 * because what the peer has taken from its own peers is accepted by nobody but a mirror (design, section 6); of these and of
 * its lists of addresses the entries with few hops (`maxHops`), because others are too far away. A mirror, which passes
 * everything on, asks for everything.
 */
export class AskedPart {
  readonly #all: Pick<Parameters, 'kinds' | 'hops'>;
  readonly #refused: RefusedParts;

  /** @param useful the kinds of sources, and the most hops of entries, that are of use; all are when absent */
  constructor(
    { kinds, hops }: { readonly kinds?: string | undefined; readonly hops?: number | undefined },
    refused: RefusedParts,
  ) {
    this.#all = { kinds, hops: hops === undefined ? undefined : String(hops) };
    this.#refused = refused;
  }

  /** The most hops of entries that are asked for at present; absent when all are. */
  get hops(): number | undefined {
    const { hops } = this.#refused.isRefused ? {} : this.#all;
    return hops === undefined ? undefined : Number(hops);
  }

  /**
   * Asks with the parameters, and once more without them when the peer refuses: nodes of former releases do not know them.
   * @param wanted all of them for the feed; a list of addresses has hops only
   */
  async ask<Answer>(
    ask: (parameters: Parameters) => Promise<Answer>,
    isRefusal: (answer: Answer) => boolean,
    wanted: Parameters = this.#all,
  ): Promise<Answer> {
    const parameters = this.#refused.isRefused ? {} : wanted;
    const answer = await ask(parameters);
    const isWhole = Object.values(parameters).every((value) => value === undefined);
    if (isWhole || !isRefusal(answer)) return answer;
    const whole = await ask({});
    if (!isRefusal(whole)) this.#refused.note();
    return whole;
  }
}
