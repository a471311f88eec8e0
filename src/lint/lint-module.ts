import { createHash } from 'node:crypto';
import { KINDS } from '../component/capability.js';
import { parseIntegrity } from '../component/integrity.js';
import type { Metadata } from '../component/metadata.js';
import type { PinSubject } from '../component/pin.js';
import { digestsOf, isPromised, sha384Of } from '../core/pins.js';
import { explain } from '../lib/faults.js';
import { type FetchAnswer, FetchFailure, type GuardedFetch, type Trust } from '../lib/fetch/guarded-fetch.js';
import { parseMediaType } from '../lib/http/headers/media-type.js';
import { type Parsing, PoolBusy } from '../lib/pool/task.js';
import { SCRIPT_TYPES } from '../lib/script-types.js';
import { advice, type Finding, fault, ok } from './finding.js';
import { analyseTask } from './module-analysis.js';

export interface LintFetch {
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly parsing: Parsing;
  /** Longest time for parsing a module, in ms; what is fair to strangers when absent. */
  readonly parseMs?: number;
  /** The SHA-384 of the bytes that the node saw first for a module of a document; absent where no node checks. */
  readonly firstSeen?: (subject: PinSubject, document: string) => Promise<string | undefined>;
}

/**
 * Largest module that a node reads for a stranger, in bytes, and that a command reads: reading it takes time in proportion to its
 * length, and 60 times its length of memory.
 */
const MAX_MODULE = { ofStrangers: 1_000_000, ofUsers: 5_000_000 };
/** How long a request may take, in ms: users do not wait longer for a component. */
export const TIMEOUT_MS = 10_000;
/** Modules larger than this, in bytes, take noticeably long to load. */
const LARGE_MODULE = 300_000;
/** The origin of a page that the module's server does not know. */
const OTHER_ORIGIN = 'https://host-application.example';

/** Checks a component's module like a browser on a page of another origin, without running it. @throws PoolBusy only */
export async function lintModule(
  component: PinnedModule,
  document: string,
  options: LintFetch,
): Promise<Finding[]> {
  const { uri } = component;
  const { fetch, trust, parsing } = options;
  try {
    const headers = { accept: 'text/javascript, */*;q=0.1', origin: OTHER_ORIGIN };
    const maxBytes = trust === 'learned' ? MAX_MODULE.ofStrangers : MAX_MODULE.ofUsers;
    const limits = { maxBytes, timeoutMs: TIMEOUT_MS, signal: parsing.signal };
    const answer = await fetch(uri, { headers, trust, turn: 'none', ...limits });
    if (answer.status !== 200) {
      await answer.discard();
      return [
        fault(
          `the module answers ${answer.status}`,
          'put the module at its uri, readable without credentials',
        ),
      ];
    }
    const bytes = await answer.bytes();
    const pins = await pinFindings(component, bytes, await options.firstSeen?.(component, document));
    const body = await bodyFindings(bytes, component, options);
    return [...transportFindings(uri), ...headerFindings(answer), ...body, ...pins];
  } catch (error) {
    if (error instanceof PoolBusy) throw error;
    return [fault(`the module cannot be had: ${explain(error)}`, whereToPutIt(error))];
  }
}

function whereToPutIt(error: unknown): string {
  const place = 'put the module where everyone can fetch it';
  const reason = error instanceof FetchFailure ? error.reason : undefined;
  if (reason !== 'refused' && reason !== 'too-large') return place;
  const elsewhere =
    'check the document on your own machine, with the command lint of a copy of this software';
  return reason === 'too-large' ? `make it smaller, or ${elsewhere}` : `${place}, or ${elsewhere}`;
}

/** What is to be known of a component to check its module. */
export type PinnedModule = Pick<Metadata, 'uri' | 'version' | 'integrity' | 'capability'>;

/** Are the bytes those that were promised, and that the node saw first under this version? */
async function pinFindings(
  component: PinnedModule,
  bytes: Uint8Array,
  first: string | undefined,
): Promise<Finding[]> {
  const { version, integrity } = component;
  const digests = await digestsOf(Uint8Array.from(bytes), component);
  const findings: Finding[] = [];
  const promise = integrity === undefined ? undefined : parseIntegrity(integrity);
  if (promise && isPromised(digests, promise))
    findings.push(ok('its bytes are those that its integrity promises'));
  else if (promise) {
    const fix =
      'raise the version, and write the integrity of what is served: hosts run nothing else than what was promised';
    const what = `its bytes are not what its integrity promises: they are ${sha384Of(digests)}`;
    findings.push(fault(what, fix));
  }
  if (first !== undefined && first !== sha384Of(digests)) {
    const what = `this node saw other bytes first ${version === undefined ? 'of this component, which has no version' : `under version ${version}`}: ${first}, and now ${sha384Of(digests)}`;
    findings.push(fault(what, 'raise the version: hosts run no other bytes of a version than its first'));
  }
  return findings;
}

function transportFindings(uri: string): Finding[] {
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1') return [];
  return [
    advice(
      'the module is served by plain http',
      'serve it by https: pages that are from https cannot import it otherwise',
    ),
  ];
}

function headerFindings({ headers }: FetchAnswer): Finding[] {
  return [typeFinding(headers.get('content-type')), corsFinding(headers.get('access-control-allow-origin'))];
}

function typeFinding(header: string | null): Finding {
  const type = header === null ? undefined : parseMediaType(header)?.type;
  const fix = 'serve it with Content-Type: text/javascript';
  if (type === 'text/javascript') return ok('it is served as text/javascript');
  if (type && SCRIPT_TYPES.includes(type)) return advice(`it is served as ${type}`, fix);
  return fault(
    `it is served ${header === null ? 'without a Content-Type' : `as ${header}`}; browsers refuse to run that`,
    fix,
  );
}

function corsFinding(allowed: string | null): Finding {
  if (allowed === '*' || allowed === OTHER_ORIGIN) return ok('pages of other sites may import it');
  const what =
    allowed === null ? 'pages of other sites may not import it' : `only pages of ${allowed} may import it`;
  return fault(what, 'serve it with Access-Control-Allow-Origin: *');
}

function declaresElement({ capability = [] }: PinnedModule): boolean {
  return capability.some(({ invocation = [] }) => invocation.some(({ type }) => type === KINDS.element));
}

async function bodyFindings(
  bytes: Uint8Array,
  component: PinnedModule,
  options: Pick<LintFetch, 'parsing' | 'parseMs'>,
): Promise<Finding[]> {
  const digest = createHash('sha384').update(bytes).digest('base64');
  const size = `${(bytes.length / 1000).toFixed(1)} kB`;
  return [
    ...(await analysed(new TextDecoder().decode(bytes), declaresElement(component), options)),
    bytes.length > LARGE_MODULE
      ? advice(`it is large: ${size}`, 'minify it, and leave out what it does not need')
      : ok(`its size is ${size}`),
    ok(`hosts can pin it: integrity sha384-${digest}`),
  ];
}

async function analysed(
  text: string,
  declaresElement: boolean,
  { parsing: { pool, ...options }, parseMs: limitMs }: Pick<LintFetch, 'parsing' | 'parseMs'>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const input = { text, limitMs, declaresElement };
  for await (const portion of pool.run(analyseTask, input, { ...options, size: text.length })) {
    findings.push(...portion);
  }
  return findings;
}
