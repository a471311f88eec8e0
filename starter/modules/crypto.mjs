/** The one function of Node's `crypto` that a package in the bundles calls: it makes names for blank nodes. */
export function randomBytes(size) {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(size)));
}

export default { randomBytes };
