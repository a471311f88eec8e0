import * as z from 'zod';
import { type Fault, InvalidInput } from '../../faults.js';

/** A parameter that says how many there may be. */
export function limitOf(most: number) {
  const fault = `must be a whole number from 1 to ${most}`;
  const number = z.coerce.number<string>().int().min(1, fault).max(most, fault);
  return z.string().regex(/^\d+$/, fault).pipe(number).optional();
}

/**
 * Reads the parameters that a schema names, each at most once; those that are `repeatable` are read elsewhere.
 * @throws InvalidInput naming each that is wrong, repeated or unknown
 */
export function readParameters<S extends z.ZodObject>(
  schema: S,
  parameters: URLSearchParams,
  repeatable: readonly string[] = [],
): z.output<S> {
  const single = Object.keys(schema.shape);
  const known = [...single, ...repeatable];
  const names = [...new Set(parameters.keys())];
  const unknown = names.filter((name) => !known.includes(name));
  const repeated = single.filter((name) => parameters.getAll(name).length > 1);
  const parsed = schema.safeParse(Object.fromEntries(names.map((name) => [name, parameters.get(name)])));
  const faults = [
    ...unknown.map((name) => faultOf(name, `unknown parameter; there are ${known.join(', ')}`)),
    ...repeated.map((name) => faultOf(name, `${name} is given more than once`)),
    ...(parsed.error?.issues ?? []).map(({ path: [name = ''], message }) =>
      faultOf(String(name), `${String(name)} ${message}`),
    ),
  ];
  if (faults.length > 0 || !parsed.success) throw invalidParameters(faults);
  return parsed.data;
}

/** What is wrong with a parameter; its pointer is `?` with the name. */
export function faultOf(name: string, detail: string): Fault {
  return { pointer: `?${name}`, detail };
}

/** The error for parameters of a URL that break a rule. */
export function invalidParameters(faults: readonly Fault[]): InvalidInput {
  return new InvalidInput('The parameters of the URL are not valid', faults);
}

/** The `Link` header to the page that begins after `after`, with the same filter (RFC 8288); none behind the last page. */
export function nextLink(
  address: string,
  parameters: URLSearchParams,
  after: string | undefined,
): { link?: string } {
  if (after === undefined) return {};
  const following = new URLSearchParams(parameters);
  following.set('after', after);
  return { link: `<${address}?${following}>; rel="next"` };
}
