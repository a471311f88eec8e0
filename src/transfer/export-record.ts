import * as z from 'zod';
import type { DeepReadonly } from '../component/capability.js';
import { metadataSchema } from '../component/metadata.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { StoredPin } from '../core/pins.js';
import type { SourceRecord } from '../core/source-record.js';

/** Of the format of export files. It is raised by a change that older releases would misread. */
export const EXPORT_VERSION = 2;
export const EXPORT_FORMAT = 'component-registry-export';

/** What is remembered is given back, as it is, to the code that remembered it: the file is whole, by its checksum. */
const remembered = <T extends object>() =>
  z.custom<T>((value) => typeof value === 'object' && value !== null);
/** ms since the Unix epoch, of a moment that a date can hold (ECMAScript, section 21.4.1.1). */
const moment = z.number().min(0).max(8.64e15);
const source = z.object({ kind: z.enum(['local', 'pod', 'peer', 'sample']), url: z.string().min(1) });
const address = z.object({ url: z.string(), hops: z.int(), via: z.array(z.string()) });

/** The first line of an export: what the file is, and where it comes from. */
const header = z.object({
  type: z.literal('header'),
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  /** Version of the software that wrote it. */
  software: z.string(),
  exportedAt: moment,
  /** Of the node: its base URL, and the namespace in which documents were read. */
  baseUrl: z.string(),
  vocabulary: z.string(),
  /** Are the records of the connection service in it, which hold secrets? */
  connections: z.boolean(),
});

/** What one document says of one component, in the order in which this came to be said. */
const statement = z.object({
  type: z.literal('statement'),
  /** When the registry first stored it in this form. */
  at: moment,
  source,
  document: z.string().min(1),
  /** See `DocumentRecord`. */
  of: z.string().optional(),
  authority: remembered<NonNullable<DocumentRecord['authority']>>().optional(),
  component: metadataSchema,
});

/** One thing that a node has, a line of an export each. */
const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('pin'), pin: remembered<StoredPin>() }),
  statement,
  z.object({
    ...{ type: z.literal('document'), source, url: z.string().min(1) },
    record: remembered<DocumentRecord>(),
  }),
  z.object({ type: z.literal('source'), source, record: remembered<SourceRecord>() }),
  z.object({ type: z.literal('network'), peers: z.array(address), storage: z.array(address) }),
  z.object({
    ...{ type: z.literal('record'), table: z.string(), key: z.string() },
    value: z.looseObject({ record: z.looseObject({ uri: z.string(), holder: z.string() }) }),
  }),
  z.object({ type: z.literal('quads'), graph: z.string(), quads: z.array(z.array(z.string())) }),
  z.object({ type: z.literal('key'), secret: z.string() }),
]);

/** What version 0.2.0 has said of the parts of the content; nobody needs it any more. */
const digest = z.object({ type: z.literal('digest') });

/** The last line. `sha256`: of the bytes of the lines before this one, in hexadecimal. */
const end = z.object({ type: z.literal('end'), lines: z.int(), sha256: z.string() });

const lineSchema = z.discriminatedUnion('type', [header, ...record.options, digest, end]);

export type ExportHeader = Readonly<z.output<typeof header>>;
export type ExportRecord = DeepReadonly<z.output<typeof record>>;
export type ExportLine = ExportHeader | ExportRecord | z.output<typeof digest> | z.output<typeof end>;

/**
 * `undefined` for what is said of a component and breaks a rule of this release: releases before it had fewer.
 * @throws Error that says what is wrong with the line
 */
export function readLine(value: unknown): ExportLine | undefined {
  const read = lineSchema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  if (issues.every(({ path: [field] }) => field === 'component')) return undefined;
  const [issue] = issues;
  throw new Error(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim());
}
