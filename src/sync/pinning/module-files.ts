import { createHash } from 'node:crypto';
import { isModuleUrl } from '../../component/values.js';
import type { SeenFile } from '../../core/pins.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { MalformedInput } from '../../lib/faults.js';
import { FetchFailure, type GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { PoolBusy, type TaskPool } from '../../lib/pool/task.js';
import { SCRIPT_TYPES } from '../../lib/script-types.js';
import { importsTask, isAddress } from '../../publish/module-text.js';

/** Bytes of one file, and ms for it; larger and slower ones are not pinned. */
const FILE = { maxBytes: 5_000_000, timeoutMs: 10_000 } as const;
/** Files that are asked for beside a module, whatever becomes of it, bytes of all of them, and ms for all of them. */
const MOST = { requests: 64, bytes: 10_000_000, ms: 60_000 } as const;
/** Of what cannot be pinned, so much is told. */
const TOLD = 10;
/** In place of a specifier that a module works out while it runs. */
const COMPUTED = 'import(…)';

/** What a module's server answered: bytes, or that they are those of the validators. */
export type ModuleAnswer =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly validators: Validators }
  | { readonly unchanged: true };

/** The files that a module imports, and what of that cannot be pinned, as it writes it; absent where there is nothing. */
export interface Imports {
  readonly files?: readonly SeenFile[] | undefined;
  readonly unpinned?: readonly string[] | undefined;
}

/** Why a module was not had. `ofHost`: the others of its host need not be tried now. */
export class ModuleFailure extends Error {
  override readonly name = 'ModuleFailure';

  constructor(
    message: string,
    readonly ofHost: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** `signal`: aborted when the node stops. */
export interface FileParts {
  readonly fetch: GuardedFetch;
  readonly clock: Pick<Clock, 'now'>;
  readonly pool: TaskPool;
  readonly signal: AbortSignal;
}

/**
 * Fetches a module as a browser would, never from private addresses. What no browser runs has no bytes: an error page, or
 * nothing at all, must not become the first that was seen.
 * @throws ModuleFailure
 */
export async function moduleBytes(
  url: string,
  known: Validators,
  { fetch: guardedFetch, signal }: Pick<FileParts, 'fetch' | 'signal'>,
): Promise<ModuleAnswer> {
  try {
    const headers = { accept: 'text/javascript, */*;q=0.1', ...conditionsOf(known) };
    const answer = await guardedFetch(url, { headers, trust: 'learned', signal, ...FILE });
    const type = parseMediaType(answer.headers.get('content-type') ?? '')?.type ?? '';
    const fault = faultOf(answer.status, type);
    if (answer.status === 304 || fault) await answer.discard();
    if (fault) throw fault;
    if (answer.status === 304) return { unchanged: true };
    const bytes = Uint8Array.from(await answer.bytes());
    if (bytes.length === 0) throw new ModuleFailure('the module is empty', false);
    return { bytes, validators: validatorsOf(answer.headers) };
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    const ofHost = ['unresolved', 'connection', 'timeout'].includes(error.reason);
    throw new ModuleFailure(error.message, ofHost, error);
  }
}

function faultOf(status: number, type: string): ModuleFailure | undefined {
  if (status === 304) return undefined;
  // Any other status says something of this module, and nothing of the others at its host.
  if (status !== 200)
    return new ModuleFailure(`the module answers ${status}`, status === 429 || status === 503);
  if (SCRIPT_TYPES.includes(type)) return undefined;
  const served = type === '' ? 'without a Content-Type' : `as ${type}`;
  return new ModuleFailure(`the module is served ${served}`, false);
}

/**
 * Fetches what a module imports, and what that imports in turn. Bare specifiers, names that are worked out while a module runs,
 * files that cannot be had and those beyond the bounds cannot be pinned. @returns undefined when there was no thread to read it
 */
export async function importsOf(
  entry: string,
  bytes: Uint8Array,
  parts: FileParts,
): Promise<Imports | undefined> {
  const files = new Map<string, SeenFile>();
  const unpinned = new Set<string>();
  const known = new Set([new URL(entry).href]);
  const requests = fileRequests(parts);
  const waiting = [{ url: entry, bytes }];
  for (const module of waiting) {
    const imports = await importsIn(module.bytes, parts);
    if (!imports) return undefined;
    if (imports.isComputed) unpinned.add(COMPUTED);
    for (const specifier of new Set([...imports.fixed, ...imports.later])) {
      if (requests.areOver() && unpinned.size >= TOLD) break;
      const url = isAddress(specifier) ? resolved(specifier, module.url) : undefined;
      if (url !== undefined && known.has(url)) continue;
      const read = url === undefined ? undefined : await requests.ask(url, {});
      if (url !== undefined && read && 'bytes' in read) {
        files.set(url, seenFile(url, read));
        waiting.push({ url, bytes: read.bytes });
      } else if (unpinned.size < TOLD) unpinned.add(specifier.slice(0, 200));
      if (url !== undefined) known.add(url);
    }
  }
  return {
    files: files.size === 0 ? undefined : [...files.values()],
    unpinned: unpinned.size === 0 ? undefined : [...unpinned],
  };
}

/** The files that are known of a module, as they are now; those that cannot be had are left out. */
export async function filesNow(known: readonly SeenFile[], parts: FileParts): Promise<SeenFile[]> {
  const now: SeenFile[] = [];
  const requests = fileRequests(parts);
  for (const file of known) {
    const answer = await requests.ask(file.uri, file);
    if (!answer) continue;
    const { changed, ...same } = file;
    now.push(
      'bytes' in answer ? seenFile(file.uri, answer) : { ...same, integrity: changed ?? file.integrity },
    );
  }
  return now;
}

/**
 * The requests for the files of one module. It names them itself, a hundred thousand if it likes: so those that fail count, too,
 * and all of them together have only so many bytes and so much time.
 */
function fileRequests(parts: FileParts) {
  const began = parts.clock.now();
  let [tries, bytes] = [0, 0];
  const areOver = () =>
    tries >= MOST.requests || bytes >= MOST.bytes || elapsed(began, parts.clock.now()) >= MOST.ms;
  /** Undefined when a file cannot be had, or is not asked for. */
  async function ask(url: string, known: Validators): Promise<ModuleAnswer | undefined> {
    if (areOver()) return undefined;
    tries += 1;
    try {
      const answer = await moduleBytes(url, known, parts);
      if ('bytes' in answer) bytes += answer.bytes.length;
      return answer;
    } catch (error) {
      if (!(error instanceof ModuleFailure)) throw error;
      return undefined;
    }
  }
  return { areOver, ask };
}

function seenFile(uri: string, { bytes, validators }: Extract<ModuleAnswer, { bytes: unknown }>): SeenFile {
  const digest = createHash('sha384').update(bytes).digest('base64');
  return { uri, integrity: `sha384-${digest}`, ...validators };
}

function resolved(specifier: string, base: string): string | undefined {
  const href = parsedUrl(specifier, base)?.href;
  return href !== undefined && isModuleUrl(href) ? href : undefined;
}

async function importsIn(bytes: Uint8Array, { pool, signal }: FileParts) {
  const options = { lane: 'refresh', size: bytes.length, signal } as const;
  try {
    for await (const imports of pool.run(importsTask, new TextDecoder().decode(bytes), options))
      return imports;
    return undefined;
  } catch (error) {
    // The machine is busy, or the module takes too long to read: it is looked at again later.
    if (error instanceof PoolBusy || error instanceof MalformedInput) return undefined;
    throw error;
  }
}
