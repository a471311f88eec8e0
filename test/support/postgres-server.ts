import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { exitOf } from './child.js';
import { cleanup } from './cleanup.js';
import { heldPort } from './held-port.js';
import { postgresPrograms } from './postgres-programs.js';
import { waitFor } from './wait-for.js';

/** PostgreSQL refuses to run as root: then it runs as "nobody". */
const NOBODY = 65_534;
const SERVER_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Fast and forgetful, for what does not test what a crash leaves. */
const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** As on machines that may fail; only the flushing of files is left out. */
const REMEMBERING = { fsync: 'off', synchronous_commit: 'on' };

type Settings = Readonly<Record<string, string | number>>;

/** A PostgreSQL server of our own: an ordinary process with its data in a temporary folder, on a free port. */
export class PostgresServer {
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> | undefined;
  #databases = 0;

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly settings: Settings,
  ) {}

  static start(settings: Settings = FORGETFUL): Promise<PostgresServer> {
    return PostgresServer.#made(settings, 'initdb', [
      ...['--no-sync', '--auth=trust', '--username=registry', '--encoding=UTF8', '--no-locale'],
      '--wal-segsize=1',
    ]);
  }

  /** A copy of a running server that follows it, and takes no writes until it is promoted. */
  static standbyOf({ port, settings }: PostgresServer, name: string): Promise<PostgresServer> {
    const source = `host=127.0.0.1 port=${port} user=registry application_name=${name}`;
    const options = ['--checkpoint=fast', '--write-recovery-conf', '--no-sync'];
    return PostgresServer.#made(settings, 'pg_basebackup', ['-d', source, ...options]);
  }

  /** A server on the data that a program writes. */
  static async #made(settings: Settings, maker: string, options: string[]): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'registry-postgres-'));
    if (SERVER_USER.uid !== undefined) await chown(folder, SERVER_USER.uid, SERVER_USER.gid);
    const server = new PostgresServer(folder, await heldPort(), settings);
    await promisify(execFile)(program(maker), ['-D', server.data, ...options], SERVER_USER);
    await server.#start();
    return server;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres'): string {
    return `postgres://registry@127.0.0.1:${this.port}/${database}`;
  }

  async #start(): Promise<void> {
    const all = {
      ...{
        listen_addresses: '127.0.0.1',
        port: this.port,
        unix_socket_directories: '',
        max_connections: 200,
      },
      ...this.settings,
    };
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(program('postgres'), ['-D', this.data, ...options], {
      ...SERVER_USER,
      stdio: [...stdio],
    });
    [this.#child, this.#exit] = [child, exitOf(child)];
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    await waitFor(() => this.query('SELECT 1'), { describe: () => `PostgreSQL to answer: ${said}` });
  }

  query(text: string): Promise<unknown[]> {
    return sql(this.url(), text);
  }

  /** The URL of a new, empty database. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    // Its files are copied, where no disk is waited for, in half of the time that its pages take through the log.
    await this.query(`CREATE DATABASE ${name} STRATEGY file_copy`);
    return this.url(name);
  }

  /** As a power cut: every process of the server at once, because its children end when they notice that it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exit;
  }

  /** Has the server do nothing, as a machine that is stopped, until what is given is called: nobody hears of it. */
  async pause(): Promise<() => void> {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    send(pid, 'SIGSTOP');
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const all = [...children.split(' ').filter(Boolean).map(Number), pid];
    for (const one of all) send(one, 'SIGSTOP');
    return () => {
      for (const one of all) send(one, 'SIGCONT');
    };
  }

  /** Makes a standby the one that takes writes. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 30)');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** A primary and a standby that has what is acknowledged, and the address of both. */
export async function primaryWithStandby() {
  const primary = await PostgresServer.start(REMEMBERING);
  cleanup(() => primary.remove());
  const { pathname } = new URL(await primary.createDatabase());
  const standby = await PostgresServer.standbyOf(primary, 'standby1');
  cleanup(() => standby.remove());
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby1'");
  await primary.query('SELECT pg_reload_conf()');
  await waitFor(async () => {
    const [row] = await primary.query('SELECT sync_state FROM pg_stat_replication');
    return (row as { sync_state: string } | undefined)?.sync_state === 'sync';
  });
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  return { primary, standby, url: `postgres://registry@${hosts}${pathname}` };
}

/** Runs statements on a connection of their own. Gives the rows of the last one. */
export async function sql(
  url: string,
  ...statements: readonly (string | [string, unknown[]])[]
): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const one of statements) {
      const [text, values] = typeof one === 'string' ? [one, []] : one;
      rows = (await client.query(text, values)).rows;
    }
    return rows;
  } finally {
    await client.end();
  }
}

function program(name: string): string {
  const folder = postgresPrograms();
  if (!folder) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(folder, name);
}

/** Sends a signal to a process; one that has ended is no matter. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
