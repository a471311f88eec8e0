import { integrityOf } from '../../component/integrity.js';
import { isModuleUrl } from '../../component/values.js';
import type { Look, SeenFile } from '../../core/pins.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { MalformedInput } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import { PoolBusy, type TaskPool } from '../../lib/pool/task.js';
import { SCRIPT_TYPES } from '../../lib/script-types.js';
import { importsTask, isAddress } from '../../publish/module-text.js';
import { Failed } from '../failures.js';
import { ask } from '../request.js';

/** Bytes of one file, and ms for it; larger and slower ones are not pinned. */
const FILE = { maxBytes: 5_000_000, timeoutMs: 10_000 } as const;
/** Requests for the files of one module, bytes of all of them, and ms for all of them. */
const MOST = { requests: 64, bytes: 10_000_000, ms: 60_000 } as const;
/** Of what cannot be pinned, so much is told. */
const TOLD = 10;
/** In place of a specifier that a module works out while it runs. */
const COMPUTED = 'import(…)';

interface ModuleBody {
  readonly kind: 'whole';
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly validators: Validators;
}

/** What a module's server answered: bytes, or that they are what they were; or why there are none. */
type ModuleAnswer = ModuleBody | { readonly kind: 'unchanged' } | Failed;

/** `signal`: aborted when the node stops. */
export interface FileParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly pool: TaskPool;
  readonly signal: AbortSignal;
}

/**
 * Fetches a module as a browser would, never from private addresses. What no browser runs has no bytes: an
 * error page, or nothing at all, must not become the first that was seen.
 */
export async function moduleBytes(
  url: string,
  before: Validators,
  { fetch, clock, signal }: Omit<FileParts, 'pool'>,
): Promise<ModuleAnswer> {
  const question = { url, accept: 'text/javascript, */*;q=0.1', before, signal, ...FILE };
  return ask({ fetch, clock, trust: 'learned' }, question, async (answer) => {
    const { status, headers } = answer;
    if (status === 304) return { kind: 'unchanged' };
    if (status !== 200) return undefined;
    const type = mediaTypeOf(headers);
    if (!SCRIPT_TYPES.includes(type))
      return new Failed(`the module is served ${type === '' ? 'without a Content-Type' : `as ${type}`}`);
    const bytes = await answer.bytes();
    if (bytes.length === 0) return new Failed('the module is empty');
    return { kind: 'whole', bytes, validators: validatorsOf(headers) };
  });
}

/** Need the other modules of its host not be tried now? Most statuses say nothing of the others. */
export function isOfHost({ status, isSilence }: Failed): boolean {
  return isSilence || status === 429 || status === 503;
}

/**
 * Fetches what a module imports, and what that imports in turn. Bare specifiers, names that are worked out
 * while it runs, and files that cannot be had cannot be pinned. @returns undefined when there was no thread
 * to read it
 */
export async function importsOf(
  entry: string,
  bytes: Uint8Array,
  parts: FileParts,
): Promise<Look['imports']> {
  const files: SeenFile[] = [];
  const unpinned = new Set<string>();
  const known = new Set([new URL(entry).href]);
  const askFor = fileRequests(parts);
  const waiting = [{ url: entry, bytes }];
  for (const module of waiting) {
    const imports = await importsIn(module.bytes, parts);
    if (!imports) return undefined;
    if (imports.isComputed) unpinned.add(COMPUTED);
    for (const specifier of [...imports.fixed, ...imports.later]) {
      const url = isAddress(specifier) ? resolved(specifier, module.url) : undefined;
      if (url !== undefined && known.has(url)) continue;
      const read = url === undefined ? undefined : await askFor(url, {});
      if (url !== undefined) known.add(url);
      if (url !== undefined && read?.kind === 'whole') {
        files.push(await seenFile(url, read));
        waiting.push({ url, bytes: read.bytes });
      } else unpinned.add(specifier.slice(0, 200));
    }
  }
  const told = [...unpinned].slice(0, TOLD);
  return { files: files.length > 0 ? files : undefined, unpinned: told.length > 0 ? told : undefined };
}

/** The files that are known of a module, as they are now; those that cannot be had are left out. */
export async function filesNow(known: readonly SeenFile[], parts: FileParts): Promise<SeenFile[]> {
  const now: SeenFile[] = [];
  const askFor = fileRequests(parts);
  for (const { changed, ...file } of known) {
    const answer = await askFor(file.uri, file);
    if (answer?.kind === 'whole') now.push(await seenFile(file.uri, answer));
    else if (answer) now.push({ ...file, integrity: changed ?? file.integrity });
  }
  return now;
}

/** Asks for the files of one module, which may name a hundred thousand: those that fail count, too. */
function fileRequests(parts: FileParts) {
  const began = parts.clock.now();
  let [tries, bytes] = [0, 0];
  /** Undefined when a file cannot be had, or is not asked for. */
  return async (url: string, known: Validators) => {
    const isOver = tries >= MOST.requests || bytes >= MOST.bytes;
    if (isOver || elapsed(began, parts.clock.now()) >= MOST.ms) return undefined;
    tries += 1;
    const answer = await moduleBytes(url, known, parts);
    if (answer.kind === 'whole') bytes += answer.bytes.length;
    return answer.kind === 'failed' ? undefined : answer;
  };
}

async function seenFile(uri: string, { bytes, validators }: ModuleBody): Promise<SeenFile> {
  return { uri, integrity: await integrityOf(bytes), ...validators };
}

function resolved(specifier: string, base: string): string | undefined {
  const href = parsedUrl(specifier, base)?.href;
  return href !== undefined && isModuleUrl(href) ? href : undefined;
}

async function importsIn(bytes: Uint8Array, { pool, signal }: FileParts) {
  const text = new TextDecoder().decode(bytes);
  try {
    return await pool.run(importsTask, { text }, { lane: 'refresh', signal });
  } catch (error) {
    // The machine is busy, or the module takes too long to read: it is looked at again later.
    if (error instanceof PoolBusy || error instanceof MalformedInput) return undefined;
    throw error;
  }
}
