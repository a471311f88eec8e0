import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { cleanup } from '../cleanup.js';
import { heldPort } from '../held-port.js';
import { startForTest } from '../run-program.js';
import { tempDir } from '../temp-dir.js';
import { waitFor } from '../wait-for.js';

/** The commands of WebDriver that tests use, by their names in Marionette, with their paths over HTTP. */
const PATHS = { Navigate: 'url', ExecuteScript: 'execute/sync', SwitchToFrame: 'frame' } as const;

/** Sends a command. Gives its value. @throws Error when the browser refuses it */
type Send = (command: keyof typeof PATHS, parameters: object) => Promise<unknown>;

export type DrivenBrowser = ReturnType<typeof driven>;

/** A browser with one window. It ends with the tests of the file. */
function driven(send: Send) {
  /** Runs a function in the page, and awaits what it gives. */
  const run = async <A extends readonly unknown[], T>(task: (...given: A) => T, ...args: A) =>
    (await send('ExecuteScript', { script: `return (${task})(...arguments)`, args })) as Awaited<T>;
  return {
    run,
    /** Resolves when the page has loaded. */
    open: (url: string) => send('Navigate', { url }),
    /** Runs it in the first frame of the page. */
    async runInFrame<T>(task: () => T): Promise<Awaited<T>> {
      await send('SwitchToFrame', { id: 0 });
      try {
        return await run(task);
      } finally {
        await send('SwitchToFrame', { id: null });
      }
    },
  };
}

/** It listens where the system says, starts no processes for pages to come, and paints as often as tests look. */
const PREFERENCES = [
  '"marionette.port", 0',
  ...['"dom.ipc.processPrelaunch.enabled", false', '"browser.newtab.preload", false'],
  '"layout.frame_rate", 10',
];

/** Firefox takes the commands by a protocol of its own, Marionette: `<number of bytes>:<JSON>` over TCP. */
export async function firefox(): Promise<DrivenBrowser> {
  const profile = await tempDir();
  await writeFile(`${profile}/user.js`, PREFERENCES.map((one) => `user_pref(${one});\n`).join(''));
  const flags = ['--headless', '--no-remote', '--marionette', '--profile', profile];
  // Without an address it would open its page of new tabs, which takes seconds of a core.
  const { says } = startForTest(['firefox-esr', ...flags, 'about:blank']);
  const [, port] = await says(/Marionette\s+INFO\s+Listening on port (\d+)/);
  const socket = connect(Number(port), '127.0.0.1');
  cleanup(() => socket.destroy());
  const received = messages(socket);
  // It says first which version of the protocol it speaks.
  await received.next();
  const ask = async (command: string, parameters: object) => {
    const text = JSON.stringify([0, 1, `WebDriver:${command}`, parameters]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = (await received.next()).value as [1, 1, unknown, { value: unknown }];
    if (error) throw new Error(JSON.stringify(error));
    return result.value;
  };
  await ask('NewSession', {});
  return driven(ask);
}

async function* messages(socket: Socket): AsyncGenerator<unknown, undefined> {
  let rest = Buffer.alloc(0);
  for await (const piece of socket) {
    rest = Buffer.concat([rest, piece]);
    for (let colon = rest.indexOf(':'); colon > 0; colon = rest.indexOf(':')) {
      const end = colon + 1 + Number(rest.subarray(0, colon));
      if (rest.length < end) break;
      yield JSON.parse(rest.toString('utf8', colon + 1, end));
      rest = rest.subarray(end);
    }
  }
  return undefined;
}

/** The small browser of WebKitGTK, which its driver starts: it has the engine of Safari, and no mode without windows. */
export async function webkit(): Promise<DrivenBrowser> {
  const [, display] = await startForTest(['Xvfb', '-displayfd', '1', '-nolisten', 'tcp']).says(/^(\d+)\n/);
  const port = await heldPort();
  startForTest(['WebKitWebDriver', `--port=${port}`], { env: { DISPLAY: `:${display}` } });
  const ask = async (method: string, path: string, parameters?: object) => {
    const body = parameters && { body: JSON.stringify(parameters) };
    const answer = await fetch(`http://127.0.0.1:${port}/${path}`, { method, ...body });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(JSON.stringify(value));
    return value;
  };
  await waitFor(() => ask('GET', 'status'), { describe: 'the driver of WebKit' });
  const made = await ask('POST', 'session', { capabilities: {} });
  const session = `session/${(made as { sessionId: string }).sessionId}`;
  cleanup(() => ask('DELETE', session));
  return driven((command, parameters) => ask('POST', `${session}/${PATHS[command]}`, parameters));
}
