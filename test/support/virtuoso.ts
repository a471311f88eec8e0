import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { heldPort } from './held-port.js';
import { type AnyNode, dataset } from './node/node-reader.js';
import { startForTest } from './run-program.js';
import { EXAMPLES, replaced } from './shipped-examples.js';
import { tempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

/** Where Debian's package puts it. */
const PROGRAM = '/usr/bin/virtuoso-t';

export type Virtuoso = Awaited<ReturnType<typeof startVirtuoso>>;

/** A SPARQL store that ends with the test, configured as in the example. Its user `dba` has the password `dba`. */
export async function startVirtuoso() {
  const [cwd, http, sql] = [await tempDir(), await heldPort(), await heldPort()];
  const [shipped, host] = [await readFile(`${EXAMPLES}sparql/virtuoso.ini`, 'utf8'), '127.0.0.1'];
  const ports = { [`${host}:8890`]: `${host}:${http}`, [`${host}:8891`]: `${host}:${sql}` };
  await writeFile(join(cwd, 'virtuoso.ini'), replaced(shipped, ports));
  const { child } = startForTest([PROGRAM, '+foreground', '+configfile', 'virtuoso.ini'], { cwd });
  const log = () => readFile(join(cwd, 'virtuoso.log'), 'utf8').catch(() => '');
  await waitFor(async () => (await log()).includes(`(pid ${child.pid})`), {
    describe: 'Virtuoso to be online',
  });
  const origin = `http://${host}:${http}`;
  return {
    /** SPARQL 1.1 Query and Update, for users (Digest). */
    endpoint: `${origin}/sparql-auth`,
    /** The rows of a SELECT, as texts. */
    async select(query: string): Promise<Record<string, string>[]> {
      const answer = await fetch(`${origin}/sparql`, {
        method: 'POST',
        headers: { accept: 'application/sparql-results+json' },
        body: new URLSearchParams({ query }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`the store answered ${answer.status}: ${text}`);
      const { results } = JSON.parse(text) as { results: { bindings: Record<string, { value: string }>[] } };
      return results.bindings.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, { value }]) => [name, value])),
      );
    },
  };
}

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

/** The script that keeps a store in step with a node, as its own process. It follows until it is killed. */
export function followFeed(node: string, store: Virtuoso) {
  const sparql = { SPARQL_UPDATE_URL: store.endpoint, SPARQL_USER: 'dba', SPARQL_PASSWORD: 'dba' };
  // It polls often, so that a test need not wait.
  const env = { NODE_URL: node, POLL_SECONDS: '0.05', ...sparql };
  return {
    ...startForTest([process.execPath, SCRIPT], { env }),
    /** Everything that is in the store, and listed there, as `triplesOf` has it; once for each source that says it. */
    async triples(): Promise<string[]> {
      const rows = await store.select(`
        SELECT DISTINCT ?g ?d ?c ?p ?o WHERE {
          GRAPH ?i { ?g <http://purl.org/dc/terms/source> ?d }
          FILTER(STRSTARTS(STR(?i), "${node}/feed#index-"))
          GRAPH ?g { ?c ?p ?o }
          FILTER(STRSTARTS(STR(?p), "${VOC}"))
        }`);
      return rows.map(({ d, c, p, o }) => [d, c, p, o].join(' ')).sort();
    },
  };
}
