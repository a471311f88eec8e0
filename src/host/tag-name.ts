/**
 * The name under which a component is defined: the first of its tags that has letters, and a hash of its uri.
 * The same everywhere for the same component, and different for another module with the same tags.
 */
export function tagNameOf({ uri, tag = [] }: { uri: string; tag?: readonly string[] }): string {
  const words = tag.map(slug).find((word) => word !== '') ?? 'component';
  return `${words}-${hash(uri)}`;
}

/** What HTML allows at the start of an element's name, kept short. */
function slug(text: string): string {
  const ascii = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return ascii
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
}

/** FNV-1a of 64 bits, in base 36: no secret, but no two uris of one page will meet in it. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(36);
}
