import { loginOf } from './pods.js';

/** Where a Community Solid Server takes what its pages ask, by its account API. */
interface Controls {
  readonly controls: {
    readonly password?: { readonly login: string };
    readonly oidc?: { readonly webId: string; readonly consent: string };
  };
}

/**
 * Signs in as the owner of a pod as its server's pages do, from the page that a program shows: name and password, WebID, consent.
 * Gives the status of the last answer: that of the program to which the browser is sent back.
 */
export async function signInAtPod(server: string, page: string, pod: string): Promise<number> {
  const browser = new Browser();
  await browser.open(page);
  const post = async (url: string | undefined, body: object) => {
    if (!url) throw new Error(`${server} does not say where to go on`);
    const answer = await browser.send(url, body);
    const { location } = (await answer.json()) as { location: string };
    return browser.open(location);
  };
  const controls = async () =>
    ((await (await browser.send(`${server}.account/`)).json()) as Controls).controls;
  await post((await controls()).password?.login, loginOf(pod));
  await post((await controls()).oidc?.webId, { webId: `${server}${pod}/profile/card#me` });
  const { status } = await post((await controls()).oidc?.consent, { remember: false });
  return status;
}

/** A browser, as far as a sign-in needs one: it keeps cookies, and follows redirects. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async send(url: string, body?: object): Promise<Response> {
    const headers: Record<string, string> = {
      accept: 'application/json',
      cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    };
    const sent = body
      ? {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...headers, 'content-type': 'application/json' },
        }
      : { headers };
    const answer = await fetch(url, { ...sent, redirect: 'manual' });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }

  async open(url: string): Promise<Response> {
    let [at, answer] = [url, await this.send(url)];
    for (let location = answer.headers.get('location'); location; location = answer.headers.get('location')) {
      await answer.text();
      at = new URL(location, at).href;
      answer = await this.send(at);
    }
    await answer.text();
    return answer;
  }
}
