import { createVocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { readKeySecret } from '../connection/tokens/key-file.js';
import { systemClock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import { createLog } from '../lib/log.js';
import { withoutPause } from '../lib/pace.js';
import { Unwinding } from '../lib/unwinding.js';
import { VERSION } from '../lib/version.js';
import { production } from '../node/given.js';
import { openRegistry } from '../registry/open-registry.js';
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

/** Writes what a stopped node has stored to a file. */
export async function run(file: string, options: TransferOptions, { say }: Terminal): Promise<number> {
  const config = configFrom(options);
  const isWhole = config.connection.enabled && !options.withoutConnections;
  const unwinding = new Unwinding();
  try {
    const given = { clock: systemClock, pace: withoutPause, log: createLog({ level: 'warn' }) };
    const place = await production(config).openPlace(config.dataDir, given);
    await unwinding.defer('the store', () => place.close());
    const keep = await place.keep('registry');
    const vocabulary = createVocabulary(config.vocabulary);
    const parts = { ...given, vocabulary, version: VERSION, isShared: place.isShared };
    const open = await openRegistry(keep, config, parts);
    await unwinding.defer('the registry', () => open.registry.close());
    const content = { ...open, connections: isWhole ? await place.keep('connection') : undefined };
    const header = await headerOf(content, config, isWhole);
    say(summary(file, await writeExport(file, header, recordsOf(content, config, isWhole)), isWhole));
    return 0;
  } finally {
    await unwinding.unwind();
  }
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
