import { createHash } from 'node:crypto';
import { isModuleUrl } from '../../component/values.js';
import type { SeenFile } from '../../core/pins.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { MalformedInput } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { PoolBusy, type TaskPool } from '../../lib/pool/task.js';
import { importsTask, isAddress } from '../../publish/module-text.js';
import { type ModuleAnswer, ModuleFailure, moduleBytes } from './module-bytes.js';

/** Files that are asked for beside a module, whatever becomes of it, bytes of all of them, and ms for all of them. */
const MOST = { requests: 64, bytes: 10_000_000, ms: 60_000 } as const;
/** Of what cannot be pinned, so much is told. */
const TOLD = 10;
/** In place of a specifier that a module works out while it runs. */
export const COMPUTED = 'import(…)';

/** The files that a module consists of beside itself. */
export interface ImportGraph {
  /** Absent where it imports none. */
  readonly files?: readonly SeenFile[];
  /** What it imports that cannot be pinned, as it writes it; absent where there is nothing. */
  readonly unpinned?: readonly string[];
}

/** What is read for a graph. `signal`: aborted when the node stops. */
export interface GraphParts {
  readonly fetch: GuardedFetch;
  readonly clock: Pick<Clock, 'now'>;
  readonly pool: TaskPool;
  readonly signal: AbortSignal;
}

/**
 * Fetches what a module imports, and what that imports in turn. Bare specifiers, names that are worked out while a module runs,
 * files that cannot be had and those beyond the bounds cannot be pinned. @returns undefined when there was no thread to read it
 */
export async function importGraph(
  entry: string,
  bytes: Uint8Array,
  parts: GraphParts,
): Promise<ImportGraph | undefined> {
  const files = new Map<string, SeenFile>();
  const unpinned = new Set<string>();
  const waiting = [{ url: entry, bytes }];
  const known = new Set([new URL(entry).href]);
  const requests = new ModuleRequests(parts);
  let left: number = MOST.bytes;
  for (let module = waiting.shift(); module; module = waiting.shift()) {
    const imports = await importsOf(module.bytes, parts);
    if (!imports) return undefined;
    if (imports.isComputed) unpinned.add(COMPUTED);
    for (const specifier of new Set([...imports.fixed, ...imports.later])) {
      if (unpinned.size >= TOLD && (requests.isOver || left <= 0)) break;
      const url = isAddress(specifier) ? resolved(specifier, module.url) : undefined;
      if (url !== undefined && known.has(url)) continue;
      if (url !== undefined) known.add(url);
      const read = url === undefined || left <= 0 ? undefined : await requests.answerOf(url, {});
      if (url === undefined || !read || !('bytes' in read)) {
        unpinned.add(specifier.slice(0, 200));
        continue;
      }
      left -= read.bytes.length;
      files.set(url, seenFile(url, read));
      waiting.push({ url, bytes: read.bytes });
    }
  }
  return {
    files: files.size === 0 ? undefined : [...files.values()],
    unpinned: unpinned.size === 0 ? undefined : [...unpinned].slice(0, TOLD),
  };
}

/** The files that are known of a module, as they are now; those that cannot be had are left out. */
export async function filesNow(known: readonly SeenFile[], parts: GraphParts): Promise<SeenFile[]> {
  const now: SeenFile[] = [];
  const requests = new ModuleRequests(parts);
  for (const file of known) {
    const answer = await requests.answerOf(file.uri, file);
    if (answer) now.push('bytes' in answer ? seenFile(file.uri, answer) : unchanged(file));
  }
  return now;
}

function seenFile(uri: string, { bytes, validators }: Extract<ModuleAnswer, { bytes: unknown }>): SeenFile {
  const digest = createHash('sha384').update(bytes).digest('base64');
  return { uri, integrity: `sha384-${digest}`, ...validators };
}

function unchanged({ changed, ...file }: SeenFile): SeenFile {
  return { ...file, integrity: changed ?? file.integrity };
}

function resolved(specifier: string, base: string): string | undefined {
  const href = parsedUrl(specifier, base)?.href;
  return href !== undefined && isModuleUrl(href) ? href : undefined;
}

async function importsOf(bytes: Uint8Array, { pool, signal }: GraphParts) {
  const source = new TextDecoder().decode(bytes);
  try {
    for await (const imports of pool.run(importsTask, source, {
      lane: 'refresh',
      size: bytes.length,
      signal,
    }))
      return imports;
    return undefined;
  } catch (error) {
    // The machine is busy, or the module takes too long to read: it is looked at again later.
    if (error instanceof PoolBusy || error instanceof MalformedInput) return undefined;
    throw error;
  }
}

/**
 * The requests for the files of one module. It names them itself, a hundred thousand if it likes: so those that fail count,
 * too, a host that fails is asked for no other, and all of them together have only so much time.
 */
class ModuleRequests {
  readonly #parts: GraphParts;
  readonly #began: number;
  readonly #failed = new Set<string>();
  #made = 0;

  constructor(parts: GraphParts) {
    this.#parts = parts;
    this.#began = parts.clock.now();
  }

  /** Is nothing more asked for? */
  get isOver(): boolean {
    return this.#made >= MOST.requests || elapsed(this.#began, this.#parts.clock.now()) >= MOST.ms;
  }

  /** Undefined when a file cannot be had, or is not asked for. */
  async answerOf(url: string, known: Validators): Promise<ModuleAnswer | undefined> {
    const { host } = new URL(url);
    if (this.isOver || this.#failed.has(host)) return undefined;
    this.#made += 1;
    try {
      return await moduleBytes(url, known, this.#parts);
    } catch (error) {
      if (!(error instanceof ModuleFailure)) throw error;
      if (error.ofHost) this.#failed.add(host);
      return undefined;
    }
  }
}
