import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
/** Shorter bodies are not compressed, in bytes: it would save less than it costs. */
const SHORT = 800;

/** A body as it is sent, with the header that says so where it is compressed. */
export interface CodedBody {
  readonly body: Uint8Array;
  readonly headers: { readonly 'content-encoding'?: 'gzip' };
}

/** Compresses a text where the client takes that and it is worth it. */
export async function codedBody(text: string, coding: 'gzip' | undefined): Promise<CodedBody> {
  const plain = Buffer.from(text);
  if (!coding || plain.length < SHORT) return { body: plain, headers: {} };
  return { body: await compress(plain), headers: { 'content-encoding': coding } };
}
