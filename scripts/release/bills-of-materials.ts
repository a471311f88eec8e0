import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { givenAway, idOf } from '../dependencies/given-away.js';
import type { Clone } from './clone.js';
import { run } from './run.js';

/**
 * What the program is made of, in CycloneDX and in SPDX, as npm reads it from the lock file: without tools of which nothing
 * is given away. npm puts the present time and a random name into both: the time of the commit and a name made of the
 * lock file stand there instead.
 */
export function writeBillsOfMaterials(clone: Clone, out: string): void {
  for (const format of ['cyclonedx', 'spdx'] as const) {
    const text = run(
      { cwd: clone.folder },
      ...(['npm', 'sbom', '--package-lock-only', '--sbom-type', 'application'] as const),
      ...['--sbom-format', format],
    );
    const bill = onlyGivenAway(fixed(JSON.parse(text), clone), clone.folder);
    writeFileSync(join(out, `sbom.${format}.json`), `${JSON.stringify(bill, null, 2)}\n`);
  }
}

interface SpdxPackage {
  name: string;
  versionInfo: string;
  SPDXID: string;
}

interface Bill {
  /** CycloneDX. */
  components?: { name: string; version: string; 'bom-ref': string }[];
  dependencies?: { ref: string; dependsOn: string[] }[];
  /** SPDX; the first is the program itself. */
  packages?: SpdxPackage[];
  relationships?: { spdxElementId: string; relatedSpdxElement: string }[];
  serialNumber?: string;
  metadata?: { timestamp?: string; component?: { name?: string } };
  documentNamespace?: string;
  creationInfo?: { created?: string };
}

function onlyGivenAway(bill: Bill, folder: string): Bill {
  const given = new Set(givenAway(folder).map(idOf));
  if (bill.components) {
    const tools = bill.components.filter((one) => !given.has(idOf(one))).map((one) => one['bom-ref']);
    const isTool = (ref: string) => tools.includes(ref);
    bill.components = bill.components.filter((one) => !isTool(one['bom-ref']));
    bill.dependencies = bill.dependencies
      ?.filter(({ ref }) => !isTool(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => !isTool(ref)) }));
  }
  if (bill.packages) {
    const isTool = ({ name, versionInfo }: SpdxPackage) => !given.has(idOf({ name, version: versionInfo }));
    const tools = new Set(
      bill.packages
        .slice(1)
        .filter(isTool)
        .map(({ SPDXID }) => SPDXID),
    );
    bill.packages = bill.packages.filter(({ SPDXID }) => !tools.has(SPDXID));
    bill.relationships = bill.relationships?.filter(
      ({ spdxElementId, relatedSpdxElement }) => !tools.has(spdxElementId) && !tools.has(relatedSpdxElement),
    );
  }
  return bill;
}

function fixed(bill: Bill, { folder, time }: Clone): Bill {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const id = uuidOf(createHash('sha256').update(lock).digest('hex'));
  const now = new Date(time * 1000).toISOString();
  if (bill.metadata) {
    bill.serialNumber = `urn:uuid:${id}`;
    bill.metadata.timestamp = now;
    // npm names it after the folder that it is read in.
    if (bill.metadata.component) bill.metadata.component.name = name;
  }
  if (bill.creationInfo) {
    bill.documentNamespace = `http://spdx.org/spdxdocs/${name}-${id}`;
    bill.creationInfo.created = now;
  }
  return bill;
}

/** A name in the form of version 8 (RFC 9562, section 5.8), which may be made of anything. */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
