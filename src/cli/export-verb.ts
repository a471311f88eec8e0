import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, loadConfig } from '../config.js';
import { readKeySecret, sharedSecret } from '../connection/tokens/key-file.js';
import type { Keep } from '../keep/keep.js';
import { systemClock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import { unlessMissing } from '../lib/missing-file.js';
import { VERSION } from '../lib/version.js';
import { refuseMisplacedData, STORE_FOLDER } from '../node/store-place.js';
import { checkExport, type ExportSummary, writeExport } from '../transfer/export-file.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportHeader,
  type ExportRecord,
} from '../transfer/export-record.js';
import { connectionRecords, readRegistry, type StoredRegistry } from '../transfer/stored-records.js';
import { openPlace } from './open-place.js';
import type { Terminal, TransferOptions } from './terminal.js';

/** Writes what is stored to a file. It only reads. */
export async function run(file: string, options: TransferOptions, { say, note }: Terminal): Promise<number> {
  const config = loadConfig({ file: options.config });
  const isWhole = config.connection.enabled && !options.withoutConnections;
  await refuseMissing(config);
  const place = await openPlace(config, note);
  try {
    const stored = await readRegistry(await place.keep('registry'), placeOf(config));
    if (!stored) throw nothingIn(config);
    const connections = isWhole ? await place.keep('connection') : undefined;
    const records = recordsOf(stored, connections, config);
    await writeExport(file, headerOf(stored, isWhole), records);
    say(summaryText(file, await checkExport(file)));
    return 0;
  } finally {
    await place.close();
  }
}

/** @throws Error where opening would make an empty store */
async function refuseMissing(config: Config): Promise<void> {
  if (config.store.engine !== 'disk') return;
  await refuseMisplacedData(config.dataDir);
  if (!(await stat(placeOf(config)).catch(unlessMissing))) throw nothingIn(config);
}

function placeOf({ dataDir, store }: Config): string {
  return store.engine === 'disk' ? join(dataDir, STORE_FOLDER) : 'the database';
}

function nothingIn(config: Config): Error {
  return new Error(`no node has stored anything in ${placeOf(config)}: is it the right configuration?`);
}

function headerOf({ serving }: StoredRegistry, connections: boolean): ExportHeader {
  const { baseUrl, namespace: vocabulary } = serving;
  const made = { software: VERSION, exportedAt: systemClock.now(), baseUrl, vocabulary, connections };
  return { type: 'header', format: EXPORT_FORMAT, version: EXPORT_VERSION, ...made };
}

async function* recordsOf(
  stored: StoredRegistry,
  connections: Keep | undefined,
  { dataDir }: Config,
): AsyncGenerator<ExportRecord> {
  yield* stored.records();
  if (!connections) return;
  yield* await connectionRecords(connections);
  const secret = (await sharedSecret(connections)) ?? (await readKeySecret(dataDir))?.toString('base64url');
  if (secret) yield { type: 'key', secret };
}

function summaryText(file: string, { header, counts, sha256 }: ExportSummary): string {
  const { content, records } = amounts(counts);
  const secrets = header.connections
    ? `${records}. It holds secrets: those of connections, and the key that tokens and invite links are ` +
      'made with. Only you may read it (0600)'
    : 'nothing of the connection service, and no secrets';
  return `wrote ${file}: ${content}, ${secrets}.\ndigest ${sha256}`;
}

/** How much there is, as parts of a sentence. */
export function amounts(counts: ExportSummary['counts']): { content: string; records: string } {
  const of = (type: ExportRecord['type']) => counts.get(type) ?? 0;
  return {
    content: `${counted(of('statement'), 'statement')} of ${counted(of('source'), 'source')}`,
    records: `${counted(of('record'), 'record')} of the connection service`,
  };
}
