import { BASE, type Sent, type TestService } from '../acceptance/adapters/connection-app.js';

type Fields = Record<string, unknown>;

/** Makes a record as the operator; gives its URI as it is answered. */
async function made({ send }: TestService, path: string, body: Fields): Promise<string> {
  const { status, json, text } = await send(path, { method: 'POST', body });
  if (status !== 201) throw new Error(text);
  return json.uri;
}

/** Makes a connection; gives its plain URI. */
export async function connect(node: TestService, holder: string, more: Fields = {}): Promise<string> {
  const body = { source: 'https://pod.example/data', holder, state: 'CONNECTED', configuration: {}, ...more };
  return decodeURIComponent(await made(node, '/connection/', body));
}

/** Makes an invite; gives its URI. */
export const invite = (node: TestService, holder: string, more: Fields = {}) =>
  made(node, '/invite/', { purpose: 'https://purpose.example/research', holder, ...more });

/** The path of a connection, or of an invite, by its plain URI. */
export const connectionPath = (uri: string) => `/connection/${encodeURIComponent(uri)}`;
export const invitePath = (uri: string) => `/invite/${encodeURIComponent(uri)}`;

/** Changes fields of a record, as the operator. */
export async function change({ send }: TestService, path: string, more: object): Promise<Sent> {
  return send(path, { method: 'PUT', body: { ...(await send(path)).json, ...more } });
}

/** Path and query of the link of an invite. */
export async function linkTo({ send }: TestService, uri: string): Promise<string> {
  const { status, json, text } = await send(`${invitePath(uri)}/link`);
  if (status !== 200) throw new Error(text);
  return json.inviteLink.slice(BASE.length);
}

/** Opens the page behind a link, as a browser does. */
export const open = ({ send }: TestService, link: string) => send(link, { token: null });

/** Sends the form of that page. */
export const submit = ({ send }: TestService, link: string, fields: Record<string, string>) =>
  send(link, {
    method: 'POST',
    token: null,
    body: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

/** Has the service read all sources, with the operator's token unless another is given; gives the records. */
export async function refreshAll({ send }: TestService, token?: string) {
  const made = await send('/resource/refresh', { method: 'POST', ...(token ? { token } : {}) });
  if (made.status !== 200) throw new Error(made.text);
  return made.json;
}

/** The objects of the triples of a record. */
export const values = (record: { triples: { object: { value: string } }[] }) =>
  record.triples.map(({ object }) => object.value);
