import { integrityOf } from '../component/integrity.js';
import type { ModuleFile } from './component-metadata.js';
import { HostError } from './host-error.js';
import { importBytes } from './module-source.js';

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
    if (!isUnresolved(cause)) throw failing(uri, cause);
  }
  if (!(await importMapsAreKept())) {
    throw new HostError(
      'module',
      `${uri} imports other modules by relative addresses, and this browser or the policy of the page does not let its bytes be checked then; make one file of it, or let the page allow it with integrity: false`,
    );
  }
  addToImportMap([...files, { uri, integrity }]);
  try {
    return await import(/* @vite-ignore */ uri);
  } catch (cause) {
    throw failing(uri, cause);
  }
}

function failing(uri: string, cause: unknown): HostError {
  return new HostError('module', `the module ${uri} fails when it is run: ${String(cause)}`, { cause });
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
  const [right, wrong] = [blobModule(), blobModule()];
  try {
    addToImportMap([{ uri: right.url, integrity: await right.integrity() }]);
    addToImportMap([{ uri: wrong.url, integrity: `sha384-${'A'.repeat(64)}` }]);
    await import(/* @vite-ignore */ right.url);
    const ran = await import(/* @vite-ignore */ wrong.url).then(
      () => true,
      () => false,
    );
    return !ran;
  } finally {
    URL.revokeObjectURL(right.url);
    URL.revokeObjectURL(wrong.url);
  }
}

function blobModule() {
  const text = 'export {};';
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  return { url, integrity: () => integrityOf(new TextEncoder().encode(text)) };
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
