import type { TestService } from '../acceptance/adapters/connection-app.js';

/** Makes a connection as the operator; gives its plain URI. */
export async function connect(
  { send }: TestService,
  holder: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { source: 'https://pod.example/data', holder, state: 'CONNECTED', configuration: {}, ...more };
  const made = await send('/connection/', { method: 'POST', body });
  if (made.status !== 201) throw new Error(made.text);
  return decodeURIComponent(made.json.uri);
}

/** Makes an invite as the operator; gives its URI. */
export async function invite(
  { send }: TestService,
  holder: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { purpose: 'https://purpose.example/research', holder, ...more };
  const made = await send('/invite/', { method: 'POST', body });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.uri;
}

/** The path of a connection, by its plain URI. */
export const connectionPath = (uri: string) => `/connection/${encodeURIComponent(uri)}`;

/** Has the service read all sources, with the operator's token unless another is given; gives the records. */
export async function refreshAll({ send }: TestService, token?: string) {
  const made = await send('/resource/refresh', { method: 'POST', ...(token ? { token } : {}) });
  if (made.status !== 200) throw new Error(made.text);
  return made.json;
}

/** The objects of the triples of a record. */
export const values = (record: { triples: { object: { value: string } }[] }) =>
  record.triples.map(({ object }) => object.value);
