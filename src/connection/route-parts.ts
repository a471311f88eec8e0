import type { Config } from '../config.js';
import type { Clock } from '../lib/clock.js';
import { parametersOf } from '../lib/http/request/url-parameters.js';
import type { Handler } from '../lib/http/resource.js';
import type { Log } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import type { NodeView } from '../web/view.js';
import { entityAnswer } from './http/entity.js';
import { listAnswer } from './http/listing.js';
import { type Mount, noSuch, requestedUris } from './http/request-target.js';
import type { NameOf } from './purpose-names.js';
import type { RecordIndex } from './records/record-index.js';
import type { Records } from './records/records.js';
import type { Refresh } from './sources/refresh.js';
import type { CheckSource } from './sources/source-check.js';
import { type Access, type Authorised, maySee, visibleTo } from './tokens/access.js';
import type { Keys } from './tokens/key-file.js';

/** What every route is given. */
export interface RouteParts {
  readonly mount: Mount;
  readonly records: Records;
  readonly keys: Keys;
  readonly refresh: Refresh;
  readonly authorised: Authorised;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Makes the last segment of a new URI; never the same twice. */
  readonly newId: () => string;
  /** What pages show of the node. */
  readonly node: () => NodeView;
  readonly checkSource: CheckSource;
  /** The purposes that the operator has given names, by IRI. */
  readonly purposes: Config['invites']['purposes'];
  /** What pages say of a purpose. */
  readonly nameOf: NameOf;
  /** Bytes that a request body may have. */
  readonly bodyBytes: number;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** The URI of a new record, which is also its address on this node. */
export function newUri({ mount, newId }: RouteParts, collection: string): string {
  return `${mount.base}/${collection}/${newId()}`;
}

/**
 * The record of a request: the first one that the token may see among those with the URIs that its path may mean.
 * @throws Problem 404 when there is none
 */
export function find<T extends Owned>(
  index: RecordIndex<T>,
  meant: readonly string[],
  access: Access,
  collection: string,
): T {
  for (const uri of meant) {
    const found = index.named(uri).find(({ record }) => maySee(access, record));
    if (found) return found.record;
  }
  throw noSuch(collection);
}

/** Records of one kind, as they are answered below a path. */
interface Collection<T extends Owned> {
  /** The first segment of the path. */
  readonly name: string;
  readonly index: RecordIndex<T>;
  readonly body: (record: T) => object;
}

type Owned = { readonly uri: string; readonly holder: string };

/** `GET /<collection>/`: the records that the token may see, newest first. */
export function listRecords<T extends Owned>(parts: RouteParts, collection: Collection<T>): Handler {
  const { name, index, body } = collection;
  const address = `${parts.mount.base}/${name}/`;
  return parts.authorised(({ req }, access) => {
    const records = index.list(visibleTo(access));
    return listAnswer({ records, body, address, parameters: parametersOf(req.url), pace: parts.pace });
  });
}

/** `GET /<collection>/{uri}`. */
export function getRecord<T extends Owned>(parts: RouteParts, collection: Collection<T>): Handler {
  const { name, index, body } = collection;
  return parts.authorised(({ req }, access) => {
    const record = find(index, requestedUris(req.url, parts.mount, name), access, name);
    return entityAnswer(200, body(record));
  });
}
