export type Parameters = Readonly<Record<string, string | undefined>>;

/** An address with those of these parameters that have a value, in this order. A comma means nothing in a query, and need not be escaped. */
export function addressWith(address: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  return query.size === 0 ? address : `${address}?${query.toString().replaceAll('%2C', ',')}`;
}
