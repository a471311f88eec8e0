import { HostError } from './host-error.js';
import { webUrl } from './page-url.js';
import type { Quad } from './quad.js';

/** What data looks like to a component, by the name that events give it (specification, section "Events"). */
export interface DataTypes {
  quads: readonly Quad[];
  text: string;
  json: unknown;
  blob: Blob;
  uint8array: Uint8Array;
}
export type DataType = keyof DataTypes;
export type DataAction = 'read' | 'write' | 'append';

/** `detail` of the three events that a component sends. */
export interface DataRequestDetail {
  readonly uri: string;
  readonly type: DataType;
  readonly mime?: string;
  readonly data?: unknown;
}

/** `detail` of the event that answers them. */
export interface DataResponseDetail extends DataRequestDetail {
  /** What was actually read, written or appended; absent without success. */
  readonly data: unknown;
  readonly success: boolean;
  /** The event that this answers. */
  readonly cause: Event;
}

declare global {
  /** So that listeners for the four events know their details, wherever the types of this library are. */
  interface GlobalEventHandlersEventMap {
    'component-data-read': CustomEvent<DataRequestDetail>;
    'component-data-write': CustomEvent<DataRequestDetail>;
    'component-data-append': CustomEvent<DataRequestDetail>;
    'component-data-response': CustomEvent<DataResponseDetail>;
  }
}

/** A request that keeps the rules. */
export interface DataRequest extends DataRequestDetail {
  readonly action: DataAction;
}

const ACTIONS: readonly DataAction[] = ['read', 'write', 'append'];

export function eventName(action: DataAction): `component-data-${DataAction}` {
  return `component-data-${action}`;
}

export const REQUESTS = ACTIONS.map(eventName);
export const RESPONSE = 'component-data-response';

const FITS: { readonly [type in DataType]: (data: unknown) => boolean } = {
  quads: (data) => Array.isArray(data) && data.every(isQuad),
  text: (data) => typeof data === 'string',
  json: isJson,
  blob: (data) => data instanceof Blob,
  uint8array: (data) => data instanceof Uint8Array,
};

/** Reads what a component asks for, a relative `uri` against the page. @throws HostError `request` naming the wrong field */
export function readRequest(event: Event): DataRequest {
  const action = ACTIONS.find((one) => eventName(one) === event.type);
  if (!action) throw new HostError('request', `${event.type} is no data event`);
  const detail = detailOf(event);
  const { type, mime, data } = detail as Partial<DataRequestDetail>;
  const uri = typeof detail.uri === 'string' ? webUrl(detail.uri) : undefined;
  const refuse = (fault: string) => new HostError('request', `${event.type}: ${fault}`);
  if (typeof detail.uri !== 'string') throw refuse('uri must be a string');
  if (uri === undefined)
    throw refuse(`uri must be an http or https URL, not ${JSON.stringify(detail.uri.slice(0, 200))}`);
  if (typeof type !== 'string' || !Object.hasOwn(FITS, type))
    throw refuse(`type must be one of ${Object.keys(FITS).join(', ')}`);
  if (mime !== undefined && !(typeof mime === 'string' && MEDIA_TYPE.test(mime)))
    throw refuse('mime must be a media type');
  if (action === 'read') return { action, uri, type, mime };
  if (!FITS[type](data)) throw refuse(`data is not ${type}, which type says it is`);
  return { action, uri, type, mime, data };
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+/;

/** The detail of an event that may be anything. */
export function detailOf(event: Event): Readonly<Record<string, unknown>> {
  const { detail } = event as CustomEvent<unknown>;
  return typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>) : {};
}

function isQuad(value: unknown): boolean {
  const quad = value as Partial<Quad> | null;
  return [quad?.subject, quad?.predicate, quad?.object].every((term) => typeof term?.value === 'string');
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
