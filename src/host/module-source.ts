import { SCRIPT_TYPES } from '../lib/script-types.js';
import { askForSuccess, bytesOf, mediaTypeOf, pageFetch, refuse } from './fetching.js';
import { HostError } from './host-error.js';

const MAX_MODULE = 20_000_000;

/** The bytes of a module. @throws HostError saying why a browser would not run what is there */
export async function moduleBytes(uri: string, timeoutMs: number): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await askForSuccess(uri, {
    fetch: pageFetch,
    timeoutMs,
    headers: { accept: 'text/javascript, */*;q=0.1' },
  });
  const type = mediaTypeOf(answer);
  if (SCRIPT_TYPES.includes(type)) return bytesOf(answer, MAX_MODULE);
  const served = type === '' ? 'without a Content-Type' : `as ${type}`;
  return refuse(
    answer,
    new HostError('type', `${uri} is served ${served}; a module must be text/javascript`),
  );
}

/**
 * Resolves when the browser has fetched a module without running it, and what it knows of its imports; also when that fails,
 * because the import says why. In browsers that cannot, the import fetches it.
 */
export async function preloaded(uri: string): Promise<void> {
  const link = globalThis.document?.createElement('link');
  if (!link?.relList.supports('modulepreload')) return;
  await new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    Object.assign(link, { rel: 'modulepreload', href: uri });
    document.head.append(link);
  });
  link.remove();
}

/**
 * Why an import failed. Browsers say little about it ("failed to fetch dynamically imported module"), so the
 * module is asked for again, and what comes is looked at.
 */
export async function explainImport(uri: string, cause: unknown, timeoutMs: number): Promise<HostError> {
  try {
    await moduleBytes(uri, timeoutMs);
  } catch (error) {
    if (error instanceof HostError) return error;
  }
  return failedModule(uri, cause);
}

export function failedModule(uri: string, cause: unknown): HostError {
  return new HostError('module', `the module ${uri} fails when it is run: ${String(cause)}`, { cause });
}
