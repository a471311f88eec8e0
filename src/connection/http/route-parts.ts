import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import type { RecordIndex } from '../records/record-index.js';
import type { Records } from '../records/records.js';
import type { Refresh } from '../resources/refresh.js';
import { type Access, type Authorised, sees } from '../tokens/access.js';
import type { Keys } from '../tokens/key-file.js';
import { noSuch, type Place } from './request-target.js';

/** The parts of the service that exist once it has started. */
export interface Loaded {
  readonly records: Records;
  readonly keys: Keys;
  readonly refresh: Refresh;
}

/** The dependencies of the routes. */
export interface RouteParts {
  readonly place: Place;
  /** @throws Problem 503 while the service is starting or stopping */
  readonly loaded: () => Loaded;
  readonly authorised: Authorised;
  readonly clock: Clock;
  /** The last part of a new URI: unique for ever. */
  readonly newId: () => string;
  /** Bytes of a request body. */
  readonly bodyBytes: number;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** The URI of a new record, which is also its address on this node. */
export function newUri({ place, newId }: RouteParts, collection: string): string {
  return `${place.base}/${collection}/${newId()}`;
}

/** The first record that the URIs may mean and the token may see. @throws Problem 404 */
export function find<T extends { uri: string; holder: string }>(
  index: RecordIndex<T>,
  meant: readonly string[],
  access: Access,
  collection: string,
): T {
  for (const uri of meant) {
    const found = index.named(uri).find(({ record }) => sees(access, record));
    if (found) return found.record;
  }
  throw noSuch(collection);
}

/** Parameters after the path of a request. */
export function parametersOf(url: string): URLSearchParams {
  return new URL(url).searchParams;
}
