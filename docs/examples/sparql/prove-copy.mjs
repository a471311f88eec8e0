// Reads everything from a node (http://localhost:3000, or the URL that is named) and proves by digests that the copy is equal,
// as docs/feed.md says.
import { createHash } from 'node:crypto';

const node = process.argv[2] ?? 'http://localhost:3000';
const sha256 = (text) => createHash('sha256').update(text);
const shake = (text) => createHash('shake128', { outputLength: 2048 }).update(text).digest();

function hashOf({ uri, label, description, version, latest, integrity, capability, example, ...lists }) {
  const sorted = (list = []) => (list.length === 0 ? undefined : [...list].sort());
  const { author, tag, shapes } = lists;
  const all = { author: sorted(author), tag: sorted(tag), shapes: sorted(shapes) };
  const said = { uri, label, description, version, latest, integrity, ...all, capability, example };
  return sha256(JSON.stringify(said)).digest('base64url').slice(0, 22);
}

function authored(document) {
  const [, name] = /^urn:registry:peer:[^:]*:(.*)$/.exec(document) ?? [];
  return name === undefined ? document : authored(decodeURIComponent(name));
}

const copy = new Map();
let page;
for (let address = `${node}/feed`; address; address = page.next) {
  page = await (await fetch(address)).json();
  for (const { type, source, graph, uri, component } of page.changes) {
    const statement = JSON.stringify([source.kind, source.url, graph, uri]);
    if (type === 'Delete') copy.delete(statement);
    else copy.set(statement, component);
  }
}

const sums = new Map();
for (const [statement, component] of copy) {
  const [kind, url, graph, uri] = JSON.parse(statement);
  const sum = sums.get(`${kind} ${url}`) ?? new Uint16Array(1024);
  const bytes = shake(`${authored(graph)}\n${uri}\n${hashOf(component)}`);
  for (let i = 0; i < 1024; i++) sum[i] += bytes.readUInt16LE(2 * i);
  sums.set(`${kind} ${url}`, sum);
}

const lines = [];
for (const { kind, url, rank, count } of (await (await fetch(`${node}/feed/sources`)).json()).sources) {
  const bytes = Buffer.alloc(2048);
  sums.get(`${kind} ${url}`)?.forEach((number, i) => {
    bytes.writeUInt16LE(number, 2 * i);
  });
  lines.push(`${kind} ${url} ${rank} ${count} ${sha256(bytes).digest('hex').slice(0, 32)}\n`);
}
const digest = sha256(`${lines.sort().join('')}network ${page.network}\n`).digest('hex');
console.log(
  page.cursor.endsWith(digest.slice(0, 8)) ? `equal at ${page.cursor}` : `different from ${page.cursor}`,
);
