import type { Config } from '../config.js';
import { installKeySecret, readKeySecret } from '../connection/tokens/key-file.js';
import { systemClock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import { createLog } from '../lib/log.js';
import { withoutPause } from '../lib/pace.js';
import { DRAFT_FOLDER, production, STORE_FOLDER } from '../node/given.js';
import { checkExport, type ExportSummary, UnusableExport } from '../transfer/export-file.js';
import { importExport } from '../transfer/import-export.js';
import { recordOnCommandLine } from './command-audit.js';
import { configFrom } from './config-options.js';
import { amounts } from './export-verb.js';
import type { Terminal } from './terminal.js';
import type { TransferOptions } from './transfer-options.js';

export interface ImportOptions extends TransferOptions {
  readonly check?: true;
}

/** Reads an export into the empty store of a stopped node. @throws UnusableExport */
export async function run(file: string, options: ImportOptions, { say, note }: Terminal): Promise<number> {
  const summary = await checkExport(file);
  if (options.check) {
    say(`${file} is whole: ${contents(summary)}`);
    return 0;
  }
  const config = configFrom(options);
  const connections = summary.header.connections && !options.withoutConnections;
  const key = connections && summary.key ? Buffer.from(summary.key, 'base64url') : undefined;
  refuseMirror(summary, config);
  if (connections) refuseDisabled(config);
  if (key) await refuseOtherKey(key, config);
  const log = createLog({ level: 'warn' });
  const given = { clock: systemClock, pace: withoutPause, log };
  const onDisk = { ...config, store: { ...config.store, engine: 'disk' as const } };
  await importExport(file, summary, {
    ...{ config, connections, storeFolder: STORE_FOLDER, draftFolder: DRAFT_FOLDER },
    openPlace: (dataDir) => production(config).openPlace(dataDir, given),
    openOnDisk: (dataDir) => production(onDisk).openPlace(dataDir, { ...given, isUnflushed: true }),
    installKey: async () => {
      if (key) await installKeySecret(config.dataDir, key);
    },
  });
  const deed = { what: `imported ${amounts(summary.counts).content}`, subjects: [file] };
  recordOnCommandLine(deed, config, note);
  say(`imported ${file}: ${contents(summary)}`);
  return 0;
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

function contents({ header, counts, invalid, sha256 }: ExportSummary): string {
  const { content, records } = amounts(counts);
  const exported = new Date(header.exportedAt).toISOString();
  const left = `left out because they break rules of this release: ${counted(invalid, 'statement')}`;
  const parts = [content, header.connections ? records : 'nothing of the connection service'];
  return `${[...parts, ...(invalid > 0 ? [left] : [])].join(', ')}; exported ${exported} from ${header.baseUrl}\ndigest ${sha256}`;
}
