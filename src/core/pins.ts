import {
  type Integrity,
  type IntegrityAlgorithm,
  integrityOf,
  integrityText,
  isPromised,
  parseIntegrity,
} from '../component/integrity.js';
import type { Metadata } from '../component/metadata.js';
import { isChanged, type ModuleFile, type Pin, type PinSubject } from '../component/pin.js';
import { type Source, sameSource } from '../component/source.js';
import type { Validators } from '../lib/fetch/validators.js';

export interface ModuleStatement {
  readonly source: Source;
  readonly metadata: Pick<Metadata, 'integrity'>;
}

/** A file that a module imports, with what makes the next request for it conditional. */
export type SeenFile = ModuleFile & Validators;

/**
 * What a node has seen of one version of a module; promises are kept in the statements. Times are ms since
 * the Unix epoch.
 */
export interface StoredPin extends PinSubject, Validators {
  /** Who described the module when `first` was noted; at the last look while there is none. */
  readonly source: Source;
  /** `digestsOf` what was seen first, but for bytes that broke a promise: it may be made before the release. */
  readonly first?: string | undefined;
  readonly last: string;
  /** How many bytes those were; absent where an earlier version has seen them. */
  readonly size?: number | undefined;
  /** What the module with the first of these bytes imports: see `Pin`. */
  readonly files?: readonly SeenFile[] | undefined;
  readonly unpinned?: readonly string[] | undefined;
  readonly since: number;
  /**
   * When the bytes, those of a file or the promise were first found to be others than the pin; absent when
   * they are not.
   */
  readonly changedAt?: number | undefined;
  readonly checked: number;
  /** Since when nobody describes the module any more; absent while somebody does. */
  readonly unusedSince?: number | undefined;
}

/** A look at a module, for the statement that is served. */
export interface Look extends PinSubject {
  readonly statement: ModuleStatement;
  readonly bytes: string;
  readonly size?: number | undefined;
  /** What it imports, as it is now; absent where that was not looked at. */
  readonly imports?: Pick<StoredPin, 'files' | 'unpinned'> | undefined;
  readonly at: number;
  readonly validators: Validators;
}

/**
 * The pin of a statement: the bytes that it promises, else those that were seen first, whoever described
 * them. Other bytes are `changed`, and so is a promise that excludes what was seen first for the same source.
 * @returns undefined when nothing was seen, or not enough to compare it with the promise
 */
export function pinOf(seen: StoredPin | undefined, statement: ModuleStatement): Pin | undefined {
  if (!seen) return undefined;
  const promise = promiseOf(statement);
  const last = sha384Of(seen.last);
  const first = sha384Of(seen.first ?? seen.last);
  if (!promise) return pinned(first, first === last ? undefined : last, seen);
  if (!seen.last.includes(`${promise.algorithm}-`)) return undefined;
  const promised = integrityText(promise);
  const changed = isPromised(seen.last, promise) ? undefined : last;
  if (seen.first === undefined || isPromised(seen.first, promise)) return pinned(promised, changed, seen);
  // The files that were seen belong to the other source's bytes.
  if (!sameSource(seen.source, statement.source)) return pinned(promised, changed, {});
  return pinned(first, first === last ? promised : last, seen);
}

/** A pin as the feed tells of it: bytes that are what they were are no news. */
export function newsOf(pin: Pin | undefined): Pin | undefined {
  return isChanged(pin) ? pin : undefined;
}

function pinned(
  integrity: string,
  changed: string | undefined,
  { files, unpinned }: Pick<StoredPin, 'files' | 'unpinned'>,
): Pin {
  const shown = files?.map((file) => ({ uri: file.uri, integrity: file.integrity, changed: file.changed }));
  return { integrity, changed, files: shown, unpinned: unpinned || undefined };
}

/** What is remembered after a look at a module. What was seen first stays, of its files as of the module. */
export function afterLook(known: StoredPin | undefined, look: Look): StoredPin {
  const { uri, version, statement, bytes, size, at, validators } = look;
  const { kind, url } = known?.first === undefined ? statement.source : known.source;
  const first = firstAfter(known, bytes, promiseOf(statement));
  const isFirst = first !== undefined && sha384Of(first) === sha384Of(bytes);
  const imports = known?.files || known?.unpinned ? known : isFirst ? look.imports : undefined;
  const seen: StoredPin = {
    ...{ uri, version, source: { kind, url }, first, last: bytes, size },
    files: imports?.files?.map((file) => fileAfter(file, look.imports?.files)),
    unpinned: imports?.unpinned || undefined,
    since: known?.since ?? at,
    checked: at,
    ...validators,
  };
  if (!isChanged(pinOf(seen, statement))) return seen;
  return { ...seen, changedAt: known?.changedAt ?? at };
}

/** What is remembered of a module when something else is promised of it; the same where nothing changes. */
export function afterStatement(known: StoredPin, statement: ModuleStatement, at: number): StoredPin {
  const isNow = isChanged(pinOf(known, statement));
  return isNow === (known.changedAt !== undefined) ? known : { ...known, changedAt: isNow ? at : undefined };
}

/** Do followers hear of a statement again? Whether its pin has changed counts for them; in the log, what the bytes are does, too. */
export function isFeedNews(before: Pin | undefined, after: Pin | undefined): boolean {
  return isChanged(before) !== isChanged(after);
}

/** Is it news for the log that the bytes of a module are others than they were, or that they are again what they were? */
export function isPinNews(
  before: StoredPin | undefined,
  after: StoredPin | undefined,
  statement: ModuleStatement,
): boolean {
  const [was, is] = [pinOf(before, statement), pinOf(after, statement)];
  const wasChanged = was !== undefined && before?.changedAt !== undefined;
  return wasChanged !== isChanged(is) || (wasChanged && was.changed !== is?.changed);
}

/** A file that could not be had now is what it was at the last look. */
function fileAfter(file: SeenFile, now: readonly SeenFile[] = []): SeenFile {
  const found = now.find(({ uri }) => uri === file.uri);
  if (!found) return file;
  const { uri, integrity } = file;
  return { ...found, uri, integrity, changed: found.integrity === integrity ? undefined : found.integrity };
}

function firstAfter(known: StoredPin | undefined, bytes: string, promise?: Integrity): string | undefined {
  const first = known?.first ?? (promise ? undefined : known?.last);
  if (first === undefined) return !promise || isPromised(bytes, promise) ? bytes : undefined;
  // Of the same bytes there may be other digests now.
  return sha384Of(first) === sha384Of(bytes) ? bytes : first;
}

/**
 * The digests of a module's bytes as integrity metadata: SHA-384 first, and that of the algorithm in which a
 * promise is made.
 */
export async function digestsOf(
  bytes: Uint8Array<ArrayBuffer>,
  metadata: Pick<Metadata, 'integrity'>,
): Promise<string> {
  const promise = promiseOf({ metadata });
  const algorithms = new Set<IntegrityAlgorithm>(['sha384', promise?.algorithm ?? 'sha384']);
  const digests = await Promise.all([...algorithms].map((algorithm) => integrityOf(bytes, algorithm)));
  return digests.join(' ');
}

export function sha384Of(digests: string): string {
  const space = digests.indexOf(' ');
  return space < 0 ? digests : digests.slice(0, space);
}

function promiseOf({ metadata: { integrity } }: Pick<ModuleStatement, 'metadata'>): Integrity | undefined {
  return integrity === undefined ? undefined : parseIntegrity(integrity);
}
