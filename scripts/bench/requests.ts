import { VARYING } from './load-client.js';

/** Requests as they go over the wire. */
export function get(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return `GET ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n`;
}

/** A query for each shape; `varying` makes every request a body of its own. */
export function queries(shapes: readonly string[], varying: boolean): string[] {
  return shapes.map((shape) =>
    post('/component/query', `{"shapes":${JSON.stringify([shape])}${varying ? VARYING : ''}}`),
  );
}

/** For each class, what fits data of it best; every request has a body of its own. */
export function matchQuestions(types: readonly string[]): string[] {
  return types.map((type) => post('/match', `{"types":${JSON.stringify([type])}${VARYING}}`));
}

function post(path: string, body: string): string {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return `POST ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n${body}`;
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  const all = { host: 'node.example', accept: 'application/json', ...headers };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
