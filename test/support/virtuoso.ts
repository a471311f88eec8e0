import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnyNode, dataset } from './node/node-reader.js';
import { startForTest } from './run-program.js';
import { EXAMPLES, replaced } from './shipped-examples.js';
import { tempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

/** Where Debian's package puts it. */
const PROGRAM = '/usr/bin/virtuoso-t';

/** A SPARQL store that ends with the test. Its user `dba` has the password `dba`. */
export interface Virtuoso {
  /** SPARQL 1.1 Query and Update, for users (Digest). */
  readonly endpoint: string;
  /** The rows of a SELECT, as texts. */
  select(query: string): Promise<Record<string, string>[]>;
}

/** Below the ports that systems give to clients. */
const PORTS = { from: 10_000, to: 32_000 };

/** A port may be taken, and the server says so only when its database has been made: then another one is tried. */
export async function startVirtuoso(): Promise<Virtuoso> {
  const directory = await tempDir();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    if (await runs(directory, port)) return at(port);
  }
  throw new Error(`Virtuoso does not start:\n${await readFile(join(directory, 'virtuoso.log'), 'utf8')}`);
}

async function runs(directory: string, port: number): Promise<boolean> {
  await writeFile(join(directory, 'virtuoso.ini'), await configuration(port));
  const command = [PROGRAM, '+foreground', '+configfile', 'virtuoso.ini'];
  const { child, exit } = startForTest(command, { cwd: directory });
  const log = () => readFile(join(directory, 'virtuoso.log'), 'utf8').catch(() => '');
  const online = waitFor(async () => (await log()).includes(`(pid ${child.pid})`), { timeoutMs: 30_000 });
  // Whichever loses is of no interest any more.
  online.catch(() => undefined);
  return Promise.race([online.then(() => true), exit.then(() => false)]);
}

/** That of the example, on other ports. */
async function configuration(port: number): Promise<string> {
  const shipped = await readFile(`${EXAMPLES}sparql/virtuoso.ini`, 'utf8');
  return replaced(shipped, {
    '127.0.0.1:8890': `127.0.0.1:${port}`,
    '127.0.0.1:8891': `127.0.0.1:${port + 1}`,
  });
}

function at(port: number): Virtuoso {
  const origin = `http://127.0.0.1:${port}`;
  return {
    endpoint: `${origin}/sparql-auth`,
    async select(query) {
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
