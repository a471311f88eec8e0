import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that test files share. It lives in the process of the test runner. */
export interface Shared<T> {
  start(): Promise<T>;
  /** What a file is told that asks for it. */
  tell(started: T): string | Promise<string>;
  end(started: T): Promise<void>;
}

/** Where test files ask for something, by HTTP; it is started when the first of them does. */
export async function onDemand<T>({ start, tell, end }: Shared<T>) {
  let started: Promise<T> | undefined;
  const control = createServer((_request, response) => {
    started ??= start();
    started.then(tell).then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      control.close();
      control.closeAllConnections();
      if (started) await end(await started);
    },
  };
}

/** @throws Error when it could not be started */
export async function ask(url: string): Promise<string> {
  const response = await fetch(url, { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(`what the tests share does not start: ${text}`);
  return text;
}
