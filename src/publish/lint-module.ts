import { KINDS } from '../component/capability.js';
import { isPromised, parseIntegrity } from '../component/integrity.js';
import type { Metadata } from '../component/metadata.js';
import type { PinSubject } from '../component/pin.js';
import { digestsOf, sha384Of } from '../core/pins.js';
import { explain } from '../lib/faults.js';
import { type FetchAnswer, FetchFailure, type GuardedFetch, type Trust } from '../lib/fetch/guarded-fetch.js';
import { mediaTypeOf } from '../lib/http/headers/media-type.js';
import { type Parsing, PoolBusy } from '../lib/pool/task.js';
import { SCRIPT_TYPES } from '../lib/script-types.js';
import { advice, error, type Finding, ok, told } from './finding.js';
import { analyseTask } from './module-text.js';

export interface ModuleLint {
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly parsing: Parsing;
  /** Longest time for parsing a module, in ms; what is fair to strangers when absent. */
  readonly parseMs?: number;
  /** The SHA-384 of the bytes that the node saw first of a module; absent where no node checks. */
  readonly firstSeen?: (subject: PinSubject) => Promise<string | undefined>;
}

/** What is to be known of a component to check its module. */
type Module = Pick<Metadata, 'uri' | 'version' | 'integrity' | 'capability'>;

/** Largest module, in bytes: reading it takes time in proportion to its length, and 60 times its length of memory. */
const MAX_MODULE = { ofStrangers: 1_000_000, ofUsers: 5_000_000 };
/** How long a request may take, in ms: users do not wait longer for a component. */
export const TIMEOUT_MS = 10_000;
/** Modules larger than this, in bytes, take noticeably long to load. */
const LARGE_MODULE = 300_000;
/** The origin of a page that the module's server does not know. */
const OTHER_ORIGIN = 'https://host-application.example';

/** Checks a component's module like a browser on a page of another origin, without running it. @throws PoolBusy only */
export async function lintModule(module: Module, lint: ModuleLint): Promise<Finding[]> {
  const { fetch, trust, parsing } = lint;
  try {
    const answer = await fetch(module.uri, {
      headers: { accept: 'text/javascript, */*;q=0.1', origin: OTHER_ORIGIN },
      ...{ trust, isCounted: false, timeoutMs: TIMEOUT_MS, signal: parsing.signal },
      maxBytes: trust === 'learned' ? MAX_MODULE.ofStrangers : MAX_MODULE.ofUsers,
    });
    if (answer.status !== 200) {
      await answer.discard();
      return [error('moduleStatus', { status: answer.status })];
    }
    const bytes = await answer.bytes();
    const digests = await digestsOf(bytes, module);
    const first = await lint.firstSeen?.(module);
    const text = await textFindings(new TextDecoder().decode(bytes), module, lint);
    return told([
      ...transportRules(module.uri, answer),
      ...text,
      ...sizeRules(bytes.length, digests),
      ...pinRules(module, digests, first),
    ]);
  } catch (failure) {
    if (failure instanceof PoolBusy) throw failure;
    return [error('moduleAway', { why: explain(failure), fix: whereToPutIt(failure) })];
  }
}

function whereToPutIt(failure: unknown): string {
  const reason = failure instanceof FetchFailure ? failure.reason : undefined;
  const checkIt =
    ', or check the document on your own machine, with the command lint of a copy of this software';
  if (reason === 'too-large') return `make it smaller${checkIt}`;
  return `put the module where everyone can fetch it${reason === 'refused' ? checkIt : ''}`;
}

function* transportRules(uri: string, { headers }: FetchAnswer) {
  const { protocol, hostname } = new URL(uri);
  if (protocol !== 'https:' && !['localhost', '127.0.0.1'].includes(hostname)) yield advice('plainHttp');
  const header = headers.get('content-type');
  const type = mediaTypeOf(headers);
  if (type === 'text/javascript') yield ok('typed');
  else if (SCRIPT_TYPES.includes(type)) yield advice('oldType', { type });
  else yield error('untyped', { type: header === null ? 'without a Content-Type' : `as ${header}` });
  const origin = headers.get('access-control-allow-origin');
  if (origin === '*' || origin === OTHER_ORIGIN) yield ok('open');
  else yield origin === null ? error('closed') : error('onlyFor', { origin });
}

async function textFindings(text: string, { capability = [] }: Module, lint: ModuleLint) {
  const { pool, ...options } = lint.parsing;
  const invocations = capability.flatMap(({ invocation = [] }) => invocation);
  const declaresElement = invocations.some(({ type }) => type === KINDS.element);
  const module = { text, limitMs: lint.parseMs, declaresElement };
  return (await pool.run(analyseTask, module, options)).findings;
}

function* sizeRules(bytes: number, digests: string) {
  const size = `${(bytes / 1000).toFixed(1)} kB`;
  yield bytes > LARGE_MODULE ? advice('large', { size }) : ok('size', { size });
  yield ok('pinnable', { digest: sha384Of(digests) });
}

/** Are the bytes those that were promised, and that the node saw first under this version? */
function* pinRules({ version, integrity }: Module, digests: string, first: string | undefined) {
  const digest = sha384Of(digests);
  const promise = integrity === undefined ? undefined : parseIntegrity(integrity);
  if (promise) yield isPromised(digests, promise) ? ok('promiseKept') : error('brokenPromise', { digest });
  if (first === undefined || first === digest) return;
  const under =
    version === undefined ? 'of this component, which has no version' : `under version ${version}`;
  yield error('otherBytes', { version: under, first, digest });
}
