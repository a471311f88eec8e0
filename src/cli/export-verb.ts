import { createVocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { readKeySecret } from '../connection/tokens/key-file.js';
import { systemClock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import { VERSION } from '../lib/version.js';
import { openRegistry } from '../store/open-registry.js';
import { type Content, contentOf, currentCursor } from '../transfer/content.js';
import { overallDigest } from '../transfer/content-digest.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportHeader,
  type ExportRecord,
} from '../transfer/export-record.js';
import { type WrittenExport, writeExport } from '../transfer/write-export.js';
import { configFrom } from './config-options.js';
import type { Terminal } from './terminal.js';
import type { TransferOptions } from './transfer-options.js';
import { withStores } from './with-stores.js';

/** Writes what a stopped node has stored to a file. */
export async function run(file: string, options: TransferOptions, { say }: Terminal): Promise<number> {
  const config = configFrom(options);
  const connections = config.connection.enabled && !options.withoutConnections;
  const vocabulary = createVocabulary(config.vocabulary);
  const written = await withStores(config, { connections }, async ({ store, records, given }) => {
    const parts = { ...given, vocabulary, clock: systemClock, version: VERSION };
    const content = { ...(await openRegistry(store, config, parts)), records };
    const header = await headerOf(content, config, connections);
    return writeExport(file, header, recordsOf(content, config, connections));
  });
  say(summary(file, written, connections));
  return 0;
}

async function headerOf(content: Content, config: Config, connections: boolean): Promise<ExportHeader> {
  const { baseUrl, vocabulary } = config;
  return {
    type: 'header',
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    software: VERSION,
    exportedAt: systemClock.now(),
    baseUrl,
    vocabulary,
    cursor: await currentCursor(content),
    connections,
  };
}

async function* recordsOf(
  content: Content,
  { dataDir }: Config,
  connections: boolean,
): AsyncGenerator<ExportRecord> {
  yield* contentOf(content);
  const secret = connections ? await readKeySecret(dataDir) : undefined;
  if (secret) yield { type: 'key', secret: secret.toString('base64url') };
}

function summary(file: string, { counts, digests }: WrittenExport, connections: boolean): string {
  const { content, records } = amounts(counts);
  const secrets = connections
    ? `${records}. It holds secrets: those of connections, and the key that tokens and invite links are made with. Only you may read it (0600)`
    : 'nothing of the connection service, and no secrets';
  return `wrote ${file}: ${content}, ${secrets}.\ndigest ${overallDigest(digests)}`;
}

/** How much there is, as parts of a sentence. */
export function amounts(counts: WrittenExport['counts']): { content: string; records: string } {
  const of = (type: ExportRecord['type']) => counts.get(type) ?? 0;
  return {
    content: `${counted(of('statement'), 'statement')} of ${counted(of('source'), 'source')}`,
    records: `${counted(of('record'), 'record')} of the connection service`,
  };
}
