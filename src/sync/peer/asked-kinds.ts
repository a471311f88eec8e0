import type { Clock } from '../../lib/clock.js';

/** How long a peer that does not know the parameter is asked without it, in ms: it may be brought up to date. */
const DAY = 24 * 60 * 60 * 1000;

export type Parameters = Readonly<Record<string, string>>;

/** An address with these parameters, in this order. A comma means nothing in a query, and need not be escaped. */
export function addressWith(address: string, parameters: Parameters): string {
  const query = new URLSearchParams(parameters);
  return query.size === 0 ? address : `${address}?${query.toString().replaceAll('%2C', ',')}`;
}

/**
 * The kinds of sources of a peer that are asked about, as a parameter of its feed. What the peer has taken from its own
 * peers is accepted by nobody but a mirror (design, section 6): others need not be sent it.
 */
export class AskedKinds {
  readonly #parameters: Parameters;
  readonly #clock: Clock;
  #refusedAt: number | undefined;

  constructor({ isMirror, clock }: { readonly isMirror: boolean; readonly clock: Clock }) {
    this.#parameters = isMirror ? {} : { kinds: 'local,pod' };
    this.#clock = clock;
  }

  /** Asks with the parameter, and once more without it when the peer refuses: nodes of former releases do not know it. */
  async ask<Answer>(
    ask: (parameters: Parameters) => Promise<Answer>,
    isRefusal: (answer: Answer) => boolean,
  ): Promise<Answer> {
    const isKnown = this.#refusedAt === undefined || this.#clock.now() - this.#refusedAt >= DAY;
    const parameters = isKnown ? this.#parameters : {};
    const answer = await ask(parameters);
    if (Object.keys(parameters).length === 0 || !isRefusal(answer)) return answer;
    const whole = await ask({});
    if (!isRefusal(whole)) this.#refusedAt = this.#clock.now();
    return whole;
  }
}
