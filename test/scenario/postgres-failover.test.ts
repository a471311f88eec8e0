import { describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type ClusterNode, list, OPERATOR, post, startCluster } from '../support/cluster.js';
import { skipsPostgres } from '../support/postgres-programs.js';
import { PostgresServer } from '../support/postgres-server.js';
import { waitFor } from '../support/wait-for.js';

/** As an operator sets them: a commit is acknowledged when the standby has it. Only the flushing of files is left out. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on' };
/** How long nodes may take to find the new primary, in ms. */
const LONGEST_SEARCH = 15_000;

async function primaryAndStandby(): Promise<{
  primary: PostgresServer;
  standby: PostgresServer;
  url: string;
}> {
  const primary = await PostgresServer.start(SETTINGS);
  cleanup(() => primary.remove());
  const database = new URL(await primary.createDatabase());
  const standby = await PostgresServer.standbyOf(primary, 'standby1');
  cleanup(() => standby.remove());
  await primary.set({ synchronous_standby_names: 'standby1' });
  await waitFor(async () => {
    const [row] = await primary.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join();
  return { primary, standby, url: `postgres://registry:hunter2@${hosts}${database.pathname}` };
}

describe.skipIf(skipsPostgres())('when the primary is killed and its synchronous standby promoted', () => {
  it('nodes find the new primary without a restart, and nothing that was acknowledged is lost', async () => {
    const { primary, standby, url } = await primaryAndStandby();
    const nodes = await startCluster(2, url);
    const acknowledged: string[] = [];
    const answers = { writes: new Set<number | undefined>(), reads: new Set<number>() };
    let running = true;
    const write = async ({ url: node }: ClusterNode, writer: number) => {
      for (let n = 0; running; n++) {
        const uris = [`https://c.example/${writer}-${n}-a.js`, `https://c.example/${writer}-${n}-b.js`];
        const status = await post(node, uris);
        answers.writes.add(status);
        if (status === 201) acknowledged.push(...uris);
      }
    };
    const read = async ({ url: node }: ClusterNode) => {
      while (running) {
        const answer = await fetch(`${node}/component?limit=5&tag=written`);
        await answer.text();
        answers.reads.add(answer.status);
        if (answer.status === 503) expect(answer.headers.get('retry-after')).toBeTruthy();
      }
    };
    const load = [...nodes, ...nodes].flatMap((node, i) => [write(node, i), read(node)]);
    await waitFor(() => acknowledged.length > 100, { timeoutMs: 20_000 });

    await primary.kill();
    await standby.promote();
    const before = acknowledged.length;
    await waitFor(() => acknowledged.length > before + 100, {
      timeoutMs: LONGEST_SEARCH,
      describe: 'writes on the new primary',
    });
    running = false;
    await Promise.all(load);

    // Answers, or an honest "try again in a moment".
    expect([...answers.reads].filter((status) => ![200, 503].includes(status))).toEqual([]);
    expect([...answers.writes].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    for (const { url: node } of nodes) {
      await waitFor(async () => {
        const there = new Set((await list(node)).uris);
        return acknowledged.every((uri) => there.has(uri));
      });
    }
    for (const { url: node, process } of nodes) {
      const told = await Promise.all(
        ['/status', '/health', '/metrics'].map(async (path) => {
          const answer = await fetch(`${node}${path}`, { headers: { authorization: `Bearer ${OPERATOR}` } });
          expect([path, answer.status]).toEqual([path, 200]);
          return answer.text();
        }),
      );
      // The log says that the database was away, and no word of all this has the password in it.
      const log = [...process.log.map((line) => JSON.stringify(line)), process.stderr];
      expect(log.join('\n')).toMatch(/the database cannot be used[\s\S]*the database answers again/);
      expect([...log, ...told].join('\n')).not.toContain('hunter2');
    }
  });
});
