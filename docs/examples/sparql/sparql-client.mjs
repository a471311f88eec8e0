import { createHash, randomBytes } from 'node:crypto';

const md5 = (text) => createHash('md5').update(text).digest('hex');

/**
 * A client for a store that speaks the SPARQL 1.1 Protocol. With a user it answers to Digest (RFC 7616, which Virtuoso
 * asks for), and says name and password as they are (Basic) where a store asks for that.
 */
export function createSparqlClient({ updateUrl, prologue, queryUrl, user, password, timeoutMs }) {
  let challenge;
  let requests = 0;

  async function send(url, init) {
    const signal = AbortSignal.timeout(timeoutMs);
    const attempt = () => {
      const authorization = user === undefined ? undefined : authorizationFor(url);
      return fetch(url, { method: 'POST', signal, ...init, headers: { ...init.headers, ...authorization } });
    };
    let answer = await attempt();
    if (answer.status === 401 && user !== undefined) {
      // The first request, or a nonce that has grown old.
      challenge = answer.headers.get('www-authenticate') ?? '';
      requests = 0;
      await answer.body?.cancel();
      answer = await attempt();
    }
    const body = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${body.slice(0, 300)}`);
    return body;
  }

  function authorizationFor(url) {
    if (challenge === undefined) return {};
    if (!/^digest /i.test(challenge)) {
      return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
    }
    requests += 1;
    return { authorization: digest(new URL(url)) };
  }

  function digest({ pathname, search }) {
    const said = Object.fromEntries(
      [...challenge.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)].map(([, name, quoted, bare]) => [
        name,
        quoted ?? bare,
      ]),
    );
    const [uri, nc, cnonce] = [
      pathname + search,
      requests.toString(16).padStart(8, '0'),
      randomBytes(8).toString('hex'),
    ];
    const proof = [
      md5(`${user}:${said.realm}:${password}`),
      said.nonce,
      nc,
      cnonce,
      'auth',
      md5(`POST:${uri}`),
    ];
    const quoted = {
      username: user,
      realm: said.realm,
      nonce: said.nonce,
      uri,
      cnonce,
      response: md5(proof.join(':')),
    };
    if (said.opaque !== undefined) quoted.opaque = said.opaque;
    const parts = Object.entries(quoted).map(([name, value]) => `${name}="${value}"`);
    return `Digest ${[...parts, `nc=${nc}`, 'qop=auth', 'algorithm=MD5'].join(', ')}`;
  }

  return {
    /** @throws Error when the store refuses it, or does not answer in time */
    async update(text) {
      await send(updateUrl, {
        headers: { 'content-type': 'application/sparql-update' },
        body: `${prologue}\n${text}`,
      });
    },
    /** The rows of a SELECT: values by the names of variables. (Virtuoso 7.2.5 does not answer to application/sparql-query.) */
    async query(text) {
      const body = new URLSearchParams({ query: text });
      const answer = await send(queryUrl, { headers: { accept: 'application/sparql-results+json' }, body });
      return JSON.parse(answer).results.bindings.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, { value }]) => [name, value])),
      );
    },
  };
}
