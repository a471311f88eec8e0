import { createHash } from 'node:crypto';
import type { ModuleFile } from '../../component/pin.js';
import { isModuleUrl } from '../../component/values.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import { MalformedInput } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { PoolBusy, type TaskPool } from '../../lib/pool/task.js';
import { isAddress } from '../../lint/module-analysis.js';
import { importsTask } from '../../lint/module-imports.js';
import { ModuleFailure, moduleBytes } from './module-bytes.js';

/** Files that are recorded beside a module, and bytes of all of them. */
const MOST = { files: 64, bytes: 10_000_000 } as const;
/** Of what cannot be pinned, so much is told. */
const TOLD = 10;
/** In place of a specifier that a module works out while it runs. */
export const COMPUTED = 'import(…)';

/** The files that a module consists of beside itself. */
export interface ImportGraph {
  /** Absent where it imports none. */
  readonly files?: readonly ModuleFile[];
  /** What it imports that cannot be pinned, as it writes it; absent where there is nothing. */
  readonly unpinned?: readonly string[];
}

/** What is read for a graph. `signal`: aborted when the node stops. */
export interface GraphParts {
  readonly fetch: GuardedFetch;
  readonly pool: TaskPool;
  readonly signal: AbortSignal;
}

/**
 * Fetches what a module imports, and what that imports in turn. Bare specifiers, names that are worked out while a module runs,
 * files that cannot be had and those beyond the bounds cannot be pinned. @returns undefined when there was no time to look
 */
export async function importGraph(
  entry: string,
  bytes: Uint8Array,
  parts: GraphParts,
): Promise<ImportGraph | undefined> {
  const files = new Map<string, ModuleFile>();
  const unpinned = new Set<string>();
  const waiting = [{ url: entry, bytes }];
  const known = new Set([new URL(entry).href]);
  let left: number = MOST.bytes;
  for (let module = waiting.shift(); module; module = waiting.shift()) {
    const imports = await importsOf(module.bytes, parts);
    if (!imports) return undefined;
    if (imports.isComputed) unpinned.add(COMPUTED);
    for (const specifier of imports.specifiers) {
      const url = isAddress(specifier) ? resolved(specifier, module.url) : undefined;
      if (url !== undefined && known.has(url)) continue;
      const isRoom = files.size < MOST.files && left > 0;
      const read = url === undefined || !isRoom ? undefined : await bytesOf(url, parts);
      if (url === undefined || !read) {
        unpinned.add(specifier.slice(0, 200));
        continue;
      }
      known.add(url);
      left -= read.length;
      files.set(url, { uri: url, integrity: `sha384-${createHash('sha384').update(read).digest('base64')}` });
      waiting.push({ url, bytes: read });
    }
  }
  return {
    ...(files.size === 0 ? {} : { files: [...files.values()] }),
    ...(unpinned.size === 0 ? {} : { unpinned: [...unpinned].slice(0, TOLD) }),
  };
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

async function bytesOf(url: string, parts: GraphParts): Promise<Uint8Array | undefined> {
  try {
    const answer = await moduleBytes(url, {}, parts);
    return 'bytes' in answer ? answer.bytes : undefined;
  } catch (error) {
    if (error instanceof ModuleFailure) return undefined;
    throw error;
  }
}
