import type { DataRequest, DataType } from './data-events.js';
import type { Exchange } from './exchange.js';
import { askForSuccess, bytesOf, mediaTypeOf, parseJson, refuse, textOf } from './fetching.js';
import { documentOf } from './graph-shapes.js';
import { HostError } from './host-error.js';
import { ACCEPT_RDF, parseRdf } from './rdf.js';

const ACCEPT: Readonly<Record<DataType, string>> = {
  quads: ACCEPT_RDF,
  text: 'text/*, */*;q=0.5',
  json: 'application/json, application/ld+json;q=0.9, */*;q=0.1',
  blob: '*/*',
  uint8array: '*/*',
};

/** Reads a resource as the type that was asked for. @throws HostError */
export async function readData({ uri, type, mime }: DataRequest, exchange: Exchange): Promise<unknown> {
  // What a component is about to edit must not come from a cache.
  const answer = await askForSuccess(uri, {
    ...exchange.request,
    headers: { accept: mime ?? ACCEPT[type] },
    cache: 'no-cache',
  });
  if (mime !== undefined && !matches(mediaTypeOf(answer), mime)) {
    const why = `${uri} was asked for as ${mime} and came as ${mediaTypeOf(answer) || 'no type'}`;
    return refuse(answer, new HostError('type', why));
  }
  const data = await READERS[type](answer, uri, exchange);
  exchange.versions.keep(uri, answer);
  return data;
}

const READERS: Readonly<
  Record<DataType, (answer: Response, uri: string, exchange: Exchange) => Promise<unknown>>
> = {
  quads: async (answer, uri, { maxBytes, loadContext }) =>
    parseRdf(await textOf(answer, maxBytes), mediaTypeOf(answer), documentOf(uri), loadContext),
  text: (answer, _uri, { maxBytes }) => textOf(answer, maxBytes),
  json: async (answer, uri, { maxBytes }) => parseJson(await textOf(answer, maxBytes), uri),
  blob: async (answer, _uri, { maxBytes }) =>
    new Blob([await bytesOf(answer, maxBytes)], { type: answer.headers.get('content-type') ?? '' }),
  uint8array: (answer, _uri, { maxBytes }) => bytesOf(answer, maxBytes),
};

/** Is it the type that was asked for? Ranges such as `image/*` match, parameters do not matter. */
function matches(type: string, wanted: string): boolean {
  return wanted.split(',').some((range) => {
    const [major = '', minor = ''] = range.replace(/;.*$/s, '').trim().toLowerCase().split('/');
    return major === '*' || (minor === '*' ? type.startsWith(`${major}/`) : type === `${major}/${minor}`);
  });
}
