import { cleanup } from './cleanup.js';
import type { AnyNode } from './node/node-reader.js';
import { type Started, startCommand } from './run-program.js';
import { EXAMPLES } from './shipped-examples.js';
import type { Virtuoso } from './virtuoso.js';

const SCRIPT = `${EXAMPLES}sparql/follow-feed.mjs`;
const VOC = 'http://semcom.digita.ai/voc#';
/** Polls often, so that a test need not wait. */
const PATIENCE = { POLL_SECONDS: '0.05' };

/** What is said, by source, document and component: values as `<field> <value>`, sorted. */
export type Statements = ReadonlyMap<string, readonly string[]>;

interface FeedPage {
  readonly changes: readonly {
    readonly source: { readonly url: string };
    readonly graph: string;
    readonly uri: string;
    readonly component: Readonly<Record<string, string | boolean | readonly string[]>>;
  }[];
  readonly next?: string;
}

/** Everything that a node says. */
export async function statementsOf(node: AnyNode): Promise<Statements> {
  const all = new Map<string, string[]>();
  for (let path: string | undefined = '/feed'; path; ) {
    const page: FeedPage = await node.getJson<FeedPage>(path);
    for (const { source, graph, uri, component } of page.changes) {
      const values = Object.entries(component).flatMap(([field, value]) =>
        [value].flat().map((one) => `${field} ${field === 'latest' ? Number(one) : one}`),
      );
      all.set(`${source.url} ${graph} ${uri}`, values.sort());
    }
    path = page.next?.slice(node.url.length);
  }
  return new Map([...all].sort());
}

/** The script that keeps a store in step with a node, as its own process. */
export class FeedProjection {
  readonly #store: Virtuoso;
  readonly #node: string;
  readonly #env: Record<string, string>;
  readonly #runs: Started[] = [];

  constructor(node: string, store: Virtuoso, env: Record<string, string>) {
    this.#store = store;
    this.#node = node;
    const sparql = { SPARQL_UPDATE_URL: store.endpoint, SPARQL_USER: 'dba', SPARQL_PASSWORD: 'dba' };
    this.#env = { NODE_URL: node, ...sparql, ...PATIENCE, ...env };
  }

  said = () => this.#runs.map(({ said }) => said()).join('');

  /** Starts following, until `kill`. */
  start(...flags: string[]): this {
    const run = startCommand([process.execPath, SCRIPT, ...flags], { env: this.#env });
    this.#runs.push(run);
    cleanup(() => run.child.kill('SIGKILL'));
    return this;
  }

  async kill(): Promise<void> {
    const run = this.#runs.at(-1);
    run?.child.kill('SIGKILL');
    await run?.exit;
  }

  /** How many descriptions are in the store, listed there or not. */
  async count(): Promise<number> {
    const [row] = await this.#store.select(`
      SELECT (COUNT(*) AS ?n) WHERE {
        GRAPH ?g { ?c a <${VOC}component> }
        FILTER(STRSTARTS(STR(?g), "${this.#node}/feed/source"))
      }`);
    return Number(row?.n);
  }

  /** Everything that is in the store, and listed there. */
  async statements(): Promise<Statements> {
    const rows = await this.#store.select(`
      SELECT DISTINCT ?s ?d ?c ?p ?o WHERE {
        GRAPH ?i { ?g <http://purl.org/dc/terms/source> ?d ; <http://www.w3.org/ns/prov#wasAttributedTo> ?s }
        FILTER(STRSTARTS(STR(?i), "${this.#node}/feed#index-"))
        GRAPH ?g { ?c ?p ?o }
      }`);
    const all = new Map<string, string[]>();
    for (const { s = '', d, c, p = '', o } of rows) {
      const key = `${new URL(s).searchParams.get('url')} ${d} ${c}`;
      const values = all.get(key) ?? [];
      all.set(key, values);
      if (p.startsWith(VOC)) values.push(`${p.slice(VOC.length)} ${o}`);
    }
    for (const values of all.values()) values.sort();
    return new Map([...all].sort());
  }
}
