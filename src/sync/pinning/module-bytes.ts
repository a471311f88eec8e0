import { FetchFailure, type GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { SCRIPT_TYPES } from '../../lib/script-types.js';

/** Bytes of a module, and ms for all of it; larger and slower ones are not pinned. */
const BOUNDS = { maxBytes: 5_000_000, timeoutMs: 10_000 } as const;

/** What a module's server answered: bytes, or that they are those of the validators. */
export type ModuleAnswer =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly validators: Validators }
  | { readonly unchanged: true };

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

/**
 * Fetches a module as a browser would, never from private addresses. What no browser runs has no bytes: an error page, or
 * nothing at all, must not become the first that was seen.
 * @throws ModuleFailure
 */
export async function moduleBytes(
  url: string,
  known: Validators,
  { fetch: guardedFetch, signal }: { readonly fetch: GuardedFetch; readonly signal: AbortSignal },
): Promise<ModuleAnswer> {
  try {
    const headers = { accept: 'text/javascript, */*;q=0.1', ...conditionsOf(known) };
    const answer = await guardedFetch(url, { headers, trust: 'learned', signal, ...BOUNDS });
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
  if (status !== 200) {
    // Any other status says something of this module, and nothing of the others at its host.
    return new ModuleFailure(`the module answers ${status}`, status === 429 || status === 503);
  }
  if (SCRIPT_TYPES.includes(type)) return undefined;
  return new ModuleFailure(
    `the module is served ${type === '' ? 'without a Content-Type' : `as ${type}`}`,
    false,
  );
}
