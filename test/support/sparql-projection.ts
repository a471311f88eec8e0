import { cleanup } from './cleanup.js';
import { type AnyNode, dataset } from './node/node-reader.js';
import { type Started, startCommand } from './run-program.js';
import { EXAMPLES } from './shipped-examples.js';
import type { Virtuoso } from './virtuoso.js';

const SCRIPT = `${EXAMPLES}sparql/follow-feed.mjs`;
const VOC = 'http://semcom.digita.ai/voc#';

/** Everything that a node says: document, component, field and value of each triple, sorted. */
export async function triplesOf(node: AnyNode): Promise<string[]> {
  const quads = (await dataset(node)).filter(({ predicate }) => predicate.value.startsWith(VOC));
  const lines = quads.map(({ graph, subject, predicate, object }) => {
    const { value } = object;
    // As Virtuoso writes it.
    const latest = predicate.value.endsWith('#latest') && String(Number(value === 'true'));
    return [graph.value, subject.value, predicate.value, latest || value].join(' ');
  });
  return lines.sort();
}

/** The script that keeps a store in step with a node, as its own process. */
export class FeedProjection {
  readonly #runs: Started[] = [];

  constructor(
    private readonly node: string,
    private readonly store: Virtuoso,
  ) {}

  said = () => this.#runs.map(({ said }) => said()).join('');

  /** Starts following, until `kill`. */
  start(): this {
    const sparql = { SPARQL_UPDATE_URL: this.store.endpoint, SPARQL_USER: 'dba', SPARQL_PASSWORD: 'dba' };
    // It polls often, so that a test need not wait.
    const env = { NODE_URL: this.node, POLL_SECONDS: '0.05', ...sparql };
    const run = startCommand([process.execPath, SCRIPT], { env });
    this.#runs.push(run);
    cleanup(() => run.child.kill('SIGKILL'));
    return this;
  }

  async kill(): Promise<void> {
    const run = this.#runs.at(-1);
    run?.child.kill('SIGKILL');
    await run?.exit;
  }

  /** Everything that is in the store, and listed there, as `triplesOf` has it; once for each source that says it. */
  async triples(): Promise<string[]> {
    const rows = await this.store.select(`
      SELECT DISTINCT ?g ?d ?c ?p ?o WHERE {
        GRAPH ?i { ?g <http://purl.org/dc/terms/source> ?d }
        FILTER(STRSTARTS(STR(?i), "${this.node}/feed#index-"))
        GRAPH ?g { ?c ?p ?o }
        FILTER(STRSTARTS(STR(?p), "${VOC}"))
      }`);
    return rows.map(({ d, c, p, o }) => [d, c, p, o].join(' ')).sort();
  }
}
