import { integrityOf } from '../component/integrity.js';
import type { ModuleFile } from '../component/pin.js';
import { HostError } from './host-error.js';
import { failedModule } from './module-source.js';

/**
 * Imports a module whose bytes have been checked. The bytes are imported as they were checked, from a blob. A module that
 * imports others by relative addresses cannot be resolved there, and none of it has run then: it is imported by its own
 * URL, with its integrity in an import map, where the browser holds to that.
 *
 * @param files what it imports, and what they must be: where they are known, the browser checks each of them, and
 * otherwise what it imports is not covered
 * @throws HostError `module`
 */
export async function importPinned(
  uri: string,
  bytes: Uint8Array<ArrayBuffer>,
  integrity: string,
  files: readonly ModuleFile[],
): Promise<unknown> {
  try {
    if (files.length === 0) return await importBytes(bytes);
  } catch (cause) {
    if (!isUnresolved(cause)) throw failedModule(uri, cause);
  }
  if (!(await importMapsAreKept())) {
    throw new HostError(
      'module',
      `${uri} imports other modules by relative addresses, and this browser or the policy of the page does not let ` +
        'its bytes be checked then; make one file of it, or let the page allow it with integrity: false',
    );
  }
  addToImportMap([...files, { uri, integrity }]);
  try {
    return await import(/* @vite-ignore */ uri);
  } catch (cause) {
    throw failedModule(uri, cause);
  }
}

/** Evaluates bytes as a module: nothing else may have happened to them since they were checked. */
async function importBytes(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const url = moduleUrl(bytes);
  try {
    return await import(/* @vite-ignore */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function moduleUrl(bytes: Uint8Array<ArrayBuffer>): string {
  return URL.createObjectURL(new Blob([bytes], { type: 'text/javascript' }));
}

/** Browsers have no other way to say that an import could not be resolved than the message, which all of them word like that. */
function isUnresolved(cause: unknown): boolean {
  return cause instanceof TypeError && /specifier/i.test(cause.message);
}

let kept: Promise<boolean> | undefined;

/**
 * Does the browser check what an import map says, when the map comes after other modules (HTML, section 8.1.6.7)? There is no
 * property that tells, so two modules are tried: one that may run and one that may not.
 */
function importMapsAreKept(): Promise<boolean> {
  kept ??= tryImportMap().catch(() => false);
  return kept;
}

async function tryImportMap(): Promise<boolean> {
  const bytes = new TextEncoder().encode('export {};');
  const [right, wrong] = [moduleUrl(bytes), moduleUrl(bytes)];
  try {
    addToImportMap([
      { uri: right, integrity: await integrityOf(bytes) },
      { uri: wrong, integrity: `sha384-${'A'.repeat(64)}` },
    ]);
    await import(/* @vite-ignore */ right);
    const hasRun = () => true;
    return !(await import(/* @vite-ignore */ wrong).then(hasRun, () => false));
  } finally {
    URL.revokeObjectURL(right);
    URL.revokeObjectURL(wrong);
  }
}

function addToImportMap(files: readonly ModuleFile[]): void {
  const map = document.createElement('script');
  map.type = 'importmap';
  map.textContent = JSON.stringify({
    integrity: Object.fromEntries(files.map(({ uri, integrity }) => [uri, integrity])),
  });
  document.head.append(map);
  map.remove();
}
