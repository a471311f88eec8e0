import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { heldPort } from './held-port.js';
import { postgresPrograms } from './postgres-programs.js';
import { waitFor } from './wait-for.js';

const run = promisify(execFile);

/** PostgreSQL refuses to run as root: then it runs as "nobody". */
const NOBODY = 65_534;
const SERVER_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Fast and forgetful, for what does not test what a crash leaves. */
const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

type Settings = Readonly<Record<string, string | number>>;

/** A PostgreSQL server of our own: an ordinary process with its data in a temporary folder, on a free port. */
export class PostgresServer {
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly settings: Settings,
  ) {}

  static async start(settings: Settings = FORGETFUL): Promise<PostgresServer> {
    const server = await PostgresServer.#inNewFolder(settings);
    await run(
      program('initdb'),
      [
        ...['-D', server.data, '--no-sync', '--auth=trust', '--username=registry'],
        ...['--encoding=UTF8', '--no-locale', '--wal-segsize=1'],
      ],
      SERVER_USER,
    );
    await server.start();
    return server;
  }

  /** A copy of a running server that follows it, and takes no writes until it is promoted. */
  static async standbyOf(primary: PostgresServer, name: string): Promise<PostgresServer> {
    const settings = { ...primary.settings, synchronous_standby_names: '' };
    const server = await PostgresServer.#inNewFolder(settings);
    const source = `host=127.0.0.1 port=${primary.port} user=registry application_name=${name}`;
    await run(
      program('pg_basebackup'),
      ['-D', server.data, '-d', source, '--checkpoint=fast', '--write-recovery-conf', '--no-sync'],
      SERVER_USER,
    );
    await server.start();
    return server;
  }

  static async #inNewFolder(settings: Settings): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'registry-postgres-'));
    if (SERVER_USER.uid !== undefined) await chown(folder, SERVER_USER.uid, SERVER_USER.gid);
    return new PostgresServer(folder, await heldPort(), settings);
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres'): string {
    return `postgres://registry@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const all = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      max_connections: 200,
      ...this.settings,
    };
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(program('postgres'), ['-D', this.data, ...options], {
      ...SERVER_USER,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    await waitFor(() => this.query('SELECT 1'), { describe: () => `PostgreSQL to answer: ${said}` });
  }

  /** Runs one statement on a connection of its own. */
  async query<R extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.url(database), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** The URL of a new, empty database. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    // Its files are copied, where no disk is waited for, in half of the time that its pages take through the log.
    await this.query(`CREATE DATABASE ${name} STRATEGY file_copy`);
    return this.url(name);
  }

  /** As a power cut: every process of the server at once. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // Its children notice that it is gone, and end at once.
    child.kill('SIGKILL');
    await ended;
  }

  /** Has the server do nothing, as a machine that is stopped, until what is given is called. */
  async pause(): Promise<() => void> {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    return paused(pid);
  }

  /** Makes a standby the one that takes writes. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 30)');
  }

  /** The settings of a running server, from now on. */
  async set(settings: Settings): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    await writeFile(join(this.data, 'postgresql.auto.conf'), lines.join(''), { flag: 'a' });
    await this.query('SELECT pg_reload_conf()');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

function program(name: string): string {
  const folder = postgresPrograms();
  if (!folder) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(folder, name);
}

/** Sends a signal to a process, or to a group of them when negative; one that has ended is no matter. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Stops a process and all that it has started, until what is given is called: nobody hears that they do nothing. */
async function paused(pid: number): Promise<() => void> {
  send(pid, 'SIGSTOP');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const goOn = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(paused));
  return () => {
    for (const one of goOn) one();
    send(pid, 'SIGCONT');
  };
}
