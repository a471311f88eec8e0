/** In ms. */
export interface PinningTimes {
  /** Between two looks at whether there is something to be pinned, and before the first. */
  readonly round: number;
  /** Between two requests to one host. */
  readonly pause: number;
  /** Between two fetches of one module. */
  readonly check: number;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

export const PINNING_TIMES: PinningTimes = { round: 30 * SECOND, pause: SECOND / 4, check: 24 * HOUR };
