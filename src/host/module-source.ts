import { SCRIPT_TYPES } from '../lib/script-types.js';
import { askForSuccess, bytesOf, type Fetch, mediaTypeOf, refuse } from './fetching.js';
import { HostError } from './host-error.js';

const MAX_MODULE = 20_000_000;

/** The bytes of a module. @throws HostError saying why a browser would not run what is there */
export async function moduleBytes(
  uri: string,
  { fetch, timeoutMs }: { fetch: Fetch; timeoutMs: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await askForSuccess(uri, {
    fetch,
    timeoutMs,
    headers: { accept: 'text/javascript, */*;q=0.1' },
  });
  const type = mediaTypeOf(answer);
  if (SCRIPT_TYPES.includes(type)) return bytesOf(answer, MAX_MODULE);
  const served = type === '' ? 'without a Content-Type' : `as ${type}`;
  const why = `${uri} is served ${served}; a module must be text/javascript`;
  return refuse(answer, new HostError('type', why));
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

/** Evaluates bytes as a module: nothing else may have happened to them since they were checked. */
export async function importBytes(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'text/javascript' }));
  try {
    return await import(/* @vite-ignore */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Why an import failed. Browsers say little about it ("failed to fetch dynamically imported module"), so the
 * module is asked for again, and what comes is looked at.
 */
export async function explainImport(
  uri: string,
  cause: unknown,
  options: { fetch: Fetch; timeoutMs: number },
): Promise<HostError> {
  try {
    await moduleBytes(uri, options);
  } catch (error) {
    if (error instanceof HostError) return error;
  }
  const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new HostError('module', `the module ${uri} fails when it is run: ${why}`, { cause });
}
