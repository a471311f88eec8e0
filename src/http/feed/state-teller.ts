import { cursorOf, cursorText } from '../../core/cursor.js';
import type { State } from '../../registry/state.js';
import type { ListScopes } from '../network/list-scopes.js';
import type { EventStreams } from './event-streams.js';
import { fingerprintsOf } from './feed-scope.js';

/**
 * Tells the streams of hints of each new state. What has changed of the network lists is worked out before, which takes a
 * moment: of several states that come meanwhile, only the latest is told.
 */
export function stateTeller(streams: EventStreams, scopes: ListScopes): (state: State) => Promise<void> {
  let latest: State | undefined;
  return async (state) => {
    latest = state;
    const lists = await scopes.at(state);
    if (latest === state) streams.moved(cursorText(cursorOf(state)), fingerprintsOf(state, lists));
  };
}
