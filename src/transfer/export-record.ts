import type { Quad } from '@rdfjs/types';
import * as z from 'zod';
import type { DeepReadonly } from '../component/capability.js';
import { metadataSchema } from '../component/metadata.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { StoredPin } from '../core/pins.js';
import { STATEMENT_CLASSES } from '../core/precedence.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Row } from '../keep/keep.js';

/** Of the format of export files. It is raised by a change that older releases would misread. */
export const EXPORT_VERSION = 2;
export const EXPORT_FORMAT = 'component-registry-export';

/** ms since the Unix epoch, of a moment that a date can hold (ECMAScript, section 21.4.1.1). */
const moment = z.number().min(0, 'is before 1970').max(8.64e15, 'is no moment that a date can hold');

const source = z.object({ kind: z.enum(['local', 'pod', 'peer', 'sample']), url: z.string().min(1) });
const address = z.object({ url: z.string(), hops: z.int(), via: z.array(z.string()) });
const authority = z.object({
  ...source.shape,
  class: z.enum(STATEMENT_CLASSES.map(({ name }) => name)),
  place: z.int().min(0),
});
// What is remembered is given back to the code that remembered it: only its outline is looked at.
const sourceRecord = z
  .looseObject({ failures: z.int().min(0) })
  .transform((record) => record as unknown as SourceRecord);
const documentRecord = z
  .looseObject({ of: z.string().optional(), authority: authority.optional() })
  .transform((record) => record as DocumentRecord);

/** A line that begins with the header of another version is told apart by `version` alone. */
export const headerSchema = z.looseObject({
  type: z.literal('header'),
  format: z.literal(EXPORT_FORMAT),
  version: z.int(),
});

/** The first line of an export: what the file is, and where it comes from. */
const header = z.object({
  ...headerSchema.shape,
  /** Version of the software that wrote it. */
  software: z.string(),
  exportedAt: moment,
  /** Of the node: its base URL, and the namespace in which documents were read. */
  baseUrl: z.string(),
  vocabulary: z.string(),
  /** Are the records of the connection service in it, which hold secrets? */
  connections: z.boolean(),
});

/** See `StoredPin`: what cannot be used without is looked at. */
const pin = z
  .looseObject({
    ...{ uri: z.string().min(1), source, document: z.string().min(1), last: z.string().min(1) },
    ...{ since: moment, changedAt: moment.optional(), checked: moment },
  })
  .transform((seen) => seen as unknown as StoredPin);

/** What one document says of one component, in the order in which this came to be said. */
const statement = z.object({
  type: z.literal('statement'),
  /** When the registry first stored it in this form. */
  at: moment,
  source,
  document: z.string().min(1),
  /** See `DocumentRecord`. */
  of: z.string().optional(),
  authority: authority.optional(),
  component: metadataSchema,
});

const storedRecord = z.object({
  seq: z.int().optional(),
  record: z.looseObject({ uri: z.string(), holder: z.string() }),
});

/** One thing that a node has, a line of an export each; docs/operators.md describes them. */
const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('pin'), pin }),
  statement,
  z.object({ type: z.literal('document'), source, url: z.string().min(1), record: documentRecord }),
  z.object({ type: z.literal('source'), source, record: sourceRecord }),
  z.object({ type: z.literal('network'), peers: z.array(address), storage: z.array(address) }),
  z.object({ type: z.literal('record'), table: z.string(), key: z.string(), value: storedRecord }),
  z.object({ type: z.literal('quads'), graph: z.string(), quads: z.array(z.array(z.string())) }),
  z.object({ type: z.literal('key'), secret: z.string() }),
]);

/** What releases before this one have said of the parts of the content; nobody needs it any more. */
const digest = z.looseObject({ type: z.literal('digest') });

/** The last line. `sha256`: of the bytes of the lines before this one, in hexadecimal. */
const end = z.object({ type: z.literal('end'), lines: z.int(), sha256: z.string() });

const lineSchema = z.discriminatedUnion('type', [header, ...record.options, digest, end]);

export type ExportHeader = Readonly<z.output<typeof header>>;
export type StatementRecord = DeepReadonly<z.output<typeof statement>>;
export type ExportRecord = DeepReadonly<z.output<typeof record>>;
type DigestLine = Readonly<z.output<typeof digest>>;
type ExportEnd = Readonly<z.output<typeof end>>;
export type ExportLine = ExportHeader | ExportRecord | DigestLine | ExportEnd;

/** Rows and quads of one service that are stored together. */
export interface Portion {
  readonly rows: readonly Row[];
  readonly put: readonly Quad[];
}

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
