import type { PeerFailure } from '../peer-request.js';

/** Why a peer's feed is not read on. */
export class FeedStop extends Error {
  override readonly name = 'FeedStop';

  /**
   * @param failure what is said of it
   * @param kind `failed`: the peer did not answer as it should. `malformed`: what it said cannot be, by itself or with what it
   * said before. `unknown`: it does not know the state that was read last. `none`: it has no feed. `room`: there is more than this
   * node keeps
   */
  constructor(
    readonly failure: PeerFailure,
    readonly kind: 'failed' | 'malformed' | 'unknown' | 'none' | 'room' = 'failed',
  ) {
    super(failure.message);
  }
}

/** For a peer that did not say `message`, but did what it tells. */
export function stopped(message: string, kind: FeedStop['kind']): FeedStop {
  return new FeedStop({ kind: 'failed', message }, kind);
}
