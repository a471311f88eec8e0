import { loadConfig } from '../config.js';
import { installKeySecret, readKeySecret } from '../connection/tokens/key-file.js';
import { counted } from '../lib/counted.js';
import { DRAFT_FOLDER, STORE_FOLDER } from '../node/store-place.js';
import { checkExport, type ExportSummary, UnusableExport } from '../transfer/export-file.js';
import { importExport } from '../transfer/import-export.js';
import { recordOnCommandLine } from './command-audit.js';
import { amounts } from './export-verb.js';
import { openPlace } from './open-place.js';
import type { Terminal, TransferOptions } from './terminal.js';

interface ImportOptions extends TransferOptions {
  readonly check?: true;
}

/** Reads an export into the empty store of a stopped node. @throws UnusableExport */
export async function run(file: string, options: ImportOptions, { say, note }: Terminal): Promise<number> {
  const summary = await checkExport(file);
  if (options.check) {
    say(`${file} is whole: ${contents(summary)}`);
    return 0;
  }
  const config = loadConfig({ file: options.config });
  const connections = summary.header.connections && !options.withoutConnections;
  const key = connections && summary.key ? Buffer.from(summary.key, 'base64url') : undefined;
  const there = key && (await readKeySecret(config.dataDir));
  if (there && !there.equals(key))
    throw new UnusableExport(
      `${config.dataDir} has another key for tokens than the file: move connection-key.json away ` +
        '(its tokens and invite links end), or import with --without-connections',
    );
  const onDisk = { ...config, store: { ...config.store, engine: 'disk' as const } };
  await importExport(file, summary, {
    ...{ config, connections, storeFolder: STORE_FOLDER, draftFolder: DRAFT_FOLDER },
    openPlace: (dataDir) => openPlace(config, note, dataDir),
    openDraft: (dataDir) => openPlace(onDisk, note, dataDir),
    installKey: async () => {
      if (key) await installKeySecret(config.dataDir, key);
    },
  });
  const deed = { what: `imported ${amounts(summary.counts).content}`, subjects: [file] };
  recordOnCommandLine(deed, config, note);
  say(`imported ${file}: ${contents(summary)}`);
  return 0;
}

function contents({ header, counts, invalid, sha256 }: ExportSummary): string {
  const { content, records } = amounts(counts);
  const exported = new Date(header.exportedAt).toISOString();
  const left = `left out because they break rules of this release: ${counted(invalid, 'statement')}`;
  const parts = [content, header.connections ? records : 'nothing of the connection service'];
  return `${[...parts, ...(invalid > 0 ? [left] : [])].join(', ')}; exported ${exported} from ${header.baseUrl}\ndigest ${sha256}`;
}
