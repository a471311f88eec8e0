import { parse } from 'content-type';

/** The media type that headers tell, in lower case and without parameters; empty where there is none. */
export function mediaTypeOf(headers: Headers): string {
  return parse(headers.get('content-type') ?? '').type;
}
