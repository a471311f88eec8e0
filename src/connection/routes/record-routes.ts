import type { Clock } from '../../lib/clock.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Pace } from '../../lib/pace.js';
import { entityAnswer } from '../http/entity.js';
import { listAnswer } from '../http/listing.js';
import { type Mount, noSuch, requestedUris } from '../http/request-target.js';
import type { Kinds, RecordReads, Records, Stored } from '../records/records.js';
import { type Access, type Authorised, visibleTo } from '../tokens/access.js';

/** What every route is given. */
export interface RouteParts {
  readonly mount: Mount;
  readonly records: Records;
  readonly authorised: Authorised;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Makes the last segment of a new URI; never the same twice. */
  readonly newId: () => string;
  /** Bytes that a request body may have. */
  readonly bodyBytes: number;
}

/** Kinds of records that are found by their URI alone. */
type Named = Exclude<keyof Kinds, 'resource'>;

/** The URI of a new record, which is also its address on this node. */
export function newUri({ mount, newId }: Pick<RouteParts, 'mount' | 'newId'>, kind: Named): string {
  return `${mount.base}/${kind}/${newId()}`;
}

/** A record that the token may see, with one of these URIs: the first in the order of the URIs. */
export async function visible<K extends Named>(
  records: RecordReads,
  kind: K,
  uris: readonly string[],
  access: Access,
): Promise<Stored<Kinds[K]> | undefined> {
  for (const uri of uris) {
    const found =
      access.kind === 'holder'
        ? await records.get(kind, { holder: access.holder, uri })
        : (await records.named(kind, uri))[0];
    if (found) return found;
  }
  return undefined;
}

/** The same for the record that a request is about. @throws Problem 404 when there is none */
export async function find<K extends Named>(
  records: RecordReads,
  kind: K,
  meant: readonly string[],
  access: Access,
): Promise<Stored<Kinds[K]>> {
  const found = await visible(records, kind, meant, access);
  if (!found) throw noSuch(kind);
  return found;
}

/** `GET /<kind>/`: the records that the token may see, newest first. */
export function listRecords<K extends Named>(
  { authorised, records, mount, pace }: RouteParts,
  kind: K,
  body: (record: Kinds[K]) => object,
): Handler {
  const address = `${mount.base}/${kind}/`;
  return authorised(async ({ req }, access) => {
    const listed = await records.list(kind, visibleTo(access));
    return listAnswer({ records: listed, body, address, parameters: parametersOf(req.url), pace });
  });
}

/** `GET /<kind>/{uri}`. */
export function getRecord<K extends Named>(
  { authorised, records, mount }: RouteParts,
  kind: K,
  body: (record: Kinds[K]) => object,
): Handler {
  return authorised(async ({ req }, access) => {
    const { record } = await find(records, kind, requestedUris(req.url, mount, kind), access);
    return entityAnswer(200, body(record));
  });
}
