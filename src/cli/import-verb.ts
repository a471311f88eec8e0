import { createVocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { installKeySecret, readKeySecret } from '../connection/tokens/key-file.js';
import { precedenceOf } from '../core/precedence.js';
import { systemClock } from '../lib/clock.js';
import { overallDigest } from '../transfer/content-digest.js';
import { checkExport, type ExportSummary, UnusableExport } from '../transfer/export-file.js';
import { ImportClock } from '../transfer/import-clock.js';
import { type Imported, importExport } from '../transfer/import-export.js';
import { recordOnCommandLine } from './command-audit.js';
import { configFrom } from './config-options.js';
import { amounts } from './export-verb.js';
import type { Terminal } from './terminal.js';
import type { TransferOptions } from './transfer-options.js';
import { type OpenStores, withStores } from './with-stores.js';

export interface ImportOptions extends TransferOptions {
  readonly check?: true;
  readonly replace?: true;
}

/** Reads an export into the store of a stopped node. @throws UnusableExport */
export async function run(file: string, options: ImportOptions, { say, note }: Terminal): Promise<number> {
  const summary = await checkExport(file);
  if (options.check) {
    say(`${file} is whole: ${contents(summary)}`);
    return 0;
  }
  const { replace = false } = options;
  const config = configFrom(options);
  const connections = summary.header.connections && !options.withoutConnections;
  const key = connections && summary.key ? Buffer.from(summary.key, 'base64url') : undefined;
  refuseMirror(summary, config);
  if (connections) refuseDisabled(config);
  if (key) await refuseOtherKey(key, config);
  // Before the data is opened: a database that nodes share gets the key of this data directory.
  if (key) await installKeySecret(config.dataDir, key);
  const imported = await withStores(config, { connections, alone: true }, async (stores) =>
    importExport(file, summary, await targetOf(stores, summary, config), { replace }),
  );
  const deed = { what: `imported ${amounts(summary.counts).content}`, subjects: [file] };
  if (!imported.wasThere) recordOnCommandLine(deed, config, note);
  say(`${outcome(file, imported)}: ${contents(summary)}`);
  return 0;
}

/** The registry as the import changes it: with a clock of its own, and the vocabulary in which the documents were read. */
async function targetOf({ store, records, given }: OpenStores, summary: ExportSummary, config: Config) {
  const { header, end } = summary;
  const clock = new ImportClock(systemClock);
  const [pods, peers] = [config.pods, config.peers].map((list) => list.map(({ url }) => url));
  const open = await store.load({
    ...given,
    clock,
    baseUrl: config.baseUrl,
    vocabulary: createVocabulary(header.vocabulary),
    precedence: precedenceOf({ pods: pods ?? [], peers: peers ?? [] }),
    // Unlike that of any node, so that the date of the answers moves when one starts.
    servedAs: `import ${end.sha256}`,
  });
  return { ...open, records, clock };
}

/** @throws UnusableExport */
function refuseMirror({ own }: ExportSummary, { mode }: Config): void {
  if (mode !== 'mirror' || own === 0) return;
  throw new UnusableExport(
    `the file holds ${own} components that were posted to a node, and a mirror has none of its own: set mode to "registry"`,
  );
}

/** @throws UnusableExport */
function refuseDisabled({ connection }: Config): void {
  if (connection.enabled) return;
  throw new UnusableExport(
    'the file holds connections, and the connection service is off: set connection.enabled, or import with --without-connections',
  );
}

/** @throws UnusableExport */
async function refuseOtherKey(key: Buffer, { dataDir }: Config): Promise<void> {
  const there = await readKeySecret(dataDir);
  if (!there || there.equals(key)) return;
  throw new UnusableExport(
    `${dataDir} has a key for tokens already, and the file holds another one: move connection-key.json away (tokens and invite links that were made with it end), or import with --without-connections`,
  );
}

function contents({ header, counts, digests }: ExportSummary): string {
  const { content, records } = amounts(counts);
  const exported = new Date(header.exportedAt).toISOString();
  return `${content}, ${header.connections ? records : 'nothing of the connection service'}; exported ${exported} from ${header.baseUrl}\ndigest ${overallDigest(digests)}`;
}

function outcome(file: string, { wasThere, resumedAt }: Imported): string {
  if (wasThere) return `nothing to do, all that ${file} holds is there already`;
  const resumed = resumedAt > 0 ? `, going on after ${resumedAt} statements` : '';
  return `imported ${file}${resumed}, and compared what is stored with its digests`;
}
