import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OLDEST_SCHEMA, SCHEMA_VERSION } from '../../src/store/disk/database/tables.js';
import { MIGRATIONS } from '../../src/store/postgres/schema/migrations.js';
import type { ExportLine } from '../../src/transfer/export-record.js';
import { MAIN, type NodeProcess } from '../support/node/node-process.js';
import { sync } from '../support/node/node-reader.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { tempDir } from '../support/temp-dir.js';
import { inTorture } from '../support/torture.js';
import { faultsOfConfigurations } from '../upgrades/configurations.js';
import { earlierProgram, whyNotHere } from '../upgrades/earlier-program.js';
import { DISK, type KeptIn, POSTGRES } from '../upgrades/kept-in.js';
import { done } from '../upgrades/life.js';
import { another, mainOf, opens, type Past, pastOf, refuses, showsAll } from '../upgrades/past.js';
import { EARLIER, type EarlierVersion, LAST_0_1_0 } from '../upgrades/versions.js';

const LATEST = { disk: SCHEMA_VERSION, postgres: MIGRATIONS.at(-1)?.version ?? 0 };
const missing = inTorture ? await whyNotHere(EARLIER.map(({ commit }) => commit)) : undefined;
if (missing !== undefined) console.error(`Skipped: upgrades from earlier versions, because ${missing}`);
const EARLIER_HERE = inTorture && missing === undefined ? EARLIER : [];
const patient = { timeout: 300_000 };

test('every layout that this version opens has a version that wrote it', () => {
  const disk = EARLIER.map((version) => version.disk);
  for (let layout = OLDEST_SCHEMA; layout < LATEST.disk; layout += 1) expect(disk).toContain(layout);
  const postgres = EARLIER.map((version) => version.postgres);
  for (const { version } of MIGRATIONS.slice(0, -1)) expect(postgres).toContain(version);
});

const isRead = ({ disk }: EarlierVersion) => disk >= OLDEST_SCHEMA;

describe.each(EARLIER_HERE.filter(isRead))('$name', patient, (version) => {
  for (const keptIn of [DISK, ...(version.postgres === undefined || !hasPostgres() ? [] : [POSTGRES])]) {
    test(`is upgraded, and left again where that is promised (${keptIn.name})`, patient, async () => {
      const past = await pastOf(version.commit, keptIn);
      const backup = await keptIn.copy(past.node);
      await isUpgraded(past);
      const isLatest = version[keptIn.name] === LATEST[keptIn.name];
      if (isLatest) await (await opens(past, past.main)).stop();
      else expect(await refuses(past, past.main)).toContain('newer version');
      // Whether refused or not, nothing has happened to it; and the backup is what it was.
      await (await opens(past, MAIN)).stop();
      await (await opens(past, past.main, backup)).stop();
    });
  }

  test.runIf(version.exports)('is moved by its export, there and back', patient, async () => {
    const past = await pastOf(version.commit, DISK);
    const file = join(await tempDir(), 'all');
    const exported = await past.node.run('export', file);
    expect(exported).toMatchObject({ code: 0 });
    for (const keptIn of !hasPostgres() ? [DISK] : [DISK, POSTGRES])
      await isImported(past, { file, exported, keptIn });
    await (await opens(past, MAIN)).stop();
    await isPostedAgain(past);
  });

  test('has configurations that are taken', async () => {
    expect(await faultsOfConfigurations(await earlierProgram(version.commit))).toEqual([]);
  });
});

describe.each(EARLIER_HERE.filter((version) => !isRead(version)))('$name', patient, (version) => {
  test('is refused unharmed, with the way by the last 0.1.0', patient, async () => {
    const past = await pastOf(version.commit, DISK);
    expect(await refuses(past, MAIN)).toContain('the last version 0.1.0');
    await (await opens(past, past.main)).stop();
    await (await opens(past, await mainOf(LAST_0_1_0))).stop();
    await isUpgraded(past);
  });
});

/** Pods answer nothing at first, so that all that is seen comes from what is stored. */
async function isUpgraded(past: Past): Promise<void> {
  const { pod } = past.world;
  pod.answerAll({ status: 503 });
  const opened = await opens(past, MAIN);
  if (past.cursor !== undefined) {
    // Who has followed the node goes on.
    expect(await opened.getJson(`/feed?since=${past.cursor}`)).toMatchObject({ changes: [] });
  }
  pod.answerAll();
  await sync(opened);
  await showsAll(past, opened);
  await opened.stop();
}

interface Exported {
  readonly file: string;
  readonly exported: { readonly text: string };
  readonly keptIn: KeptIn;
}

async function isImported(past: Past, { file, exported, keptIn }: Exported): Promise<void> {
  const node = await another(past, MAIN, await keptIn.fresh());
  const imported = await node.run('import', file);
  expect(imported).toMatchObject({ code: 0 });
  expect(digestIn(imported.text)).toBe(digestIn(exported.text));
  await node.start();
  await showsAll(past, node);
  await node.stop();
}

const digestIn = (text: string) => /^digest .*$/m.exec(text)?.[0] ?? 'no digest';

/** What is promised beside the backup: what was posted is in an export of the later version, and can be posted to the earlier one. */
async function isPostedAgain(past: Past): Promise<void> {
  const file = join(await tempDir(), 'later');
  const later = await another(past, MAIN);
  expect(await later.run('export', file)).toMatchObject({ code: 0 });
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const posted = lines
    .map((line) => JSON.parse(line) as ExportLine)
    .flatMap((line) => (line.type === 'statement' && line.source.kind === 'local' ? [line.component] : []));
  expect(posted).toHaveLength(4);
  const earlier: NodeProcess = await another(past, past.main, await DISK.fresh());
  await earlier.start();
  await done(earlier, 'POST', '/component', posted);
  await sync(earlier);
  const listing = await earlier.getJson<readonly { uri: string; label: string }[]>('/component');
  const said = ({ uri, label }: { uri: string; label: string }) => `${uri} ${label}`;
  expect(listing.map(said)).toEqual(past.was.listing.map((one) => `${one.uri} ${one.label}`));
  await earlier.stop();
}
