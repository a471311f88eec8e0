import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanup } from './cleanup.js';
import { startCommand } from './run-program.js';
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
  const { child, exit } = startCommand([PROGRAM, '+foreground', '+configfile', 'virtuoso.ini'], {
    cwd: directory,
  });
  cleanup(() => {
    child.kill('SIGKILL');
    return exit;
  });
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
