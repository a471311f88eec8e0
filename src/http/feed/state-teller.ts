import { cursorOf, cursorText } from '../../core/cursor.js';
import type { State } from '../../registry/state.js';
import type { ListScopes } from '../network/list-scopes.js';
import type { EventStreams } from './event-streams.js';
import { fingerprintsOf } from './feed-scope.js';

/**
 * Tells the streams of events of each state of the registry, or of the latest of several. What of the network lists has
 * changed is to be worked out first: so it takes a moment.
 */
export function stateTeller(streams: EventStreams, scopes: ListScopes): (state: State) => Promise<void> {
  let latest: State | undefined;
  return async (state) => {
    latest = state;
    const lists = await scopes.at(state);
    if (latest === state) streams.moved(cursorText(cursorOf(state)), fingerprintsOf(state, lists));
  };
}
