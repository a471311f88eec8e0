import { shapeFault, shapeIri } from '../component/shape-names.js';
import { canParseUrl } from '../lib/can-parse-url.js';
import { counted } from '../lib/counted.js';
import { explain } from '../lib/faults.js';
import { withCommandFetch } from '../lib/fetch/command-fetch.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { printable } from '../lib/printable.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { DEFAULT_LIMIT, DEFAULT_NODE, QUERY_FORMATS } from './flags.js';
import type { RunVerb } from './runnable-verb.js';

export const run: RunVerb = async (flags, words, { say }) => {
  const { node = DEFAULT_NODE, format = 'text', limit = DEFAULT_LIMIT, range, latest, ...others } = flags;
  const constraints = { q: words, version: range, latest, limit, ...others };
  const given = Object.entries(constraints).filter(([, value]) => value !== undefined && value !== '');
  const parameters = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  say(await queryNode({ node: String(node), format: String(format), parameters }));
  return 0;
};

interface Question {
  readonly node: string;
  readonly format: string;
  /** The parameters of `GET /component`: constraints, and `limit`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A component in the JSON of a node. */
interface Found {
  readonly uri: string;
  readonly label: string;
  readonly version?: string;
  readonly latest?: boolean;
  readonly author?: readonly string[];
  readonly tag?: readonly string[];
  readonly shapes?: readonly string[];
  /** Absent in answers of other makes of nodes. */
  readonly source?: { readonly trust: string };
}

/**
 * Asks a node for components and returns what to print.
 * @throws Error that says what to do, when the node does not answer or refuses the question
 */
export async function queryNode({ node, format, parameters }: Question): Promise<string> {
  const accept = QUERY_FORMATS[format];
  if (accept === undefined) throw new Error(`--format is one of ${Object.keys(QUERY_FORMATS).join(', ')}`);
  if (!canParseUrl(node)) throw new Error(`--node must be a URL like ${DEFAULT_NODE}`);
  const { shapes, ...others } = parameters;
  // Written out here, because nodes of other makes know no prefixes.
  const asked = new URLSearchParams(others);
  if (shapes !== undefined) asked.set('shapes', shapeIri(shapes));
  const url = `${withoutTrailingSlashes(node)}/component?${asked}`;
  const { text, hasMore } = await withCommandFetch('query', (fetch) => ask(fetch, url, accept), 50_000_000);
  if (format !== 'text') return text.trimEnd();
  return componentsText(JSON.parse(text), hasMore, shapes === undefined ? undefined : shapeFault(shapes));
}

async function ask(
  fetch: GuardedFetch,
  url: string,
  accept: string,
): Promise<{ text: string; hasMore: boolean }> {
  const { origin } = new URL(url);
  const answer = await fetch(url, { headers: { accept }, trust: 'configured' }).catch((cause: unknown) => {
    throw new Error(
      `${origin} does not answer (${explain(cause)}); start a node there, or name another with --node`,
    );
  });
  const text = await answer.text();
  if (answer.status === 200) return { text, hasMore: /rel="?next/.test(answer.headers.get('link') ?? '') };
  throw new Error(`${origin} answers ${answer.status}: ${printable(reasonIn(text))}`);
}

/** What a problem document (RFC 9457) says; the text itself where it is none. */
function reasonIn(text: string): string {
  try {
    const { detail, title, errors = [] } = JSON.parse(text);
    const faults = (errors as { detail: string }[]).map((fault) => fault.detail);
    return [detail ?? title, ...faults].filter(Boolean).join('; ');
  } catch {
    return text.slice(0, 200);
  }
}

/** Components for a terminal: a few lines each, and at the end how many they are. `fault`: why there may be none. */
export function componentsText(components: readonly Found[], hasMore: boolean, fault?: string): string {
  if (components.length === 0)
    return fault === undefined ? 'no component fits' : `no component fits: ${fault}`;
  const end = counted(components.length, 'component');
  return [...components.map(componentText), hasMore ? `${end}, and there are more: raise --limit` : end].join(
    '\n\n',
  );
}

function componentText(found: Found): string {
  const { uri, label, version, latest, author = [], tag = [], shapes = [], source } = found;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['renders', shapes],
    ['tags', tag],
    ['by', author],
  ];
  const learned = source?.trust === 'learned' ? '(learned: nobody there answers for it)' : undefined;
  const title = [label, version, latest ? '(latest)' : undefined, learned].filter(Boolean).join(' ');
  const details = rows
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name} ${values.join(', ')}`);
  return [title, uri, ...details].map((line, i) => (i === 0 ? '' : '  ') + printable(line)).join('\n');
}
