import { parseLinks } from '../lib/http/headers/link-header.js';
import { askForSuccess, giveUp, mediaTypeOf, textOf } from './fetching.js';
import { HostError } from './host-error.js';

/** Bytes of one context. That of schema.org has 200,000. */
const MAX_CONTEXT = 1_000_000;

/**
 * The text of a context. It is loaded with the page's own fetch, and never with that of a session: their servers are named by the document,
 * and need not know who reads it. A server may answer with a page that links to the context (JSON-LD 1.1 API, section
 * "Remote Document and Context Retrieval").
 * @throws HostError as for any resource that cannot be read
 */
export async function loadContextFromWeb(url: string): Promise<string> {
  const answer = await askForJsonLd(url);
  if (isJson(answer)) return textOf(answer, MAX_CONTEXT);
  await giveUp(answer);
  const link = parseLinks(answer.headers.get('link')).find(({ relations }) =>
    relations.includes('alternate'),
  );
  const linked = link && URL.canParse(link.target, url) ? new URL(link.target, url).href : undefined;
  const other = linked === undefined ? undefined : await askForJsonLd(linked);
  if (other && isJson(other)) return textOf(other, MAX_CONTEXT);
  if (other) await giveUp(other);
  throw new HostError('type', `the context ${url} is ${mediaTypeOf(answer) || 'of no type'}, and no JSON-LD`);
}

function askForJsonLd(url: string): Promise<Response> {
  return askForSuccess(url, {
    fetch: (target, init) => globalThis.fetch(target, init),
    timeoutMs: 10_000,
    headers: { accept: 'application/ld+json, application/json;q=0.5' },
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
}

function isJson(answer: Response): boolean {
  return /[/+]json$/.test(mediaTypeOf(answer));
}
