import { Agent, request } from 'node:http';

export interface SentRequest {
  readonly method?: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Amount {
  /** Connections; each sends its next request when the one before is over. */
  readonly clients: number;
  /** Requests, all together. */
  readonly times: number;
}

/**
 * Sends the same request many times.
 * @returns how many answers there were of each status, by status; a connection that broke off counts as 0
 */
export async function sendMany(
  url: string,
  sent: SentRequest,
  { clients, times }: Amount,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let left = times;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (left-- > 0) {
      const status = await send(url, sent, agent);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return statuses;
}

function send(url: string, { method = 'GET', path, headers, body }: SentRequest, agent: Agent) {
  const { hostname, port } = new URL(url);
  return new Promise<number>((resolve) => {
    const options = { hostname, port, method, path, agent, headers };
    const asked = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    asked.on('error', () => resolve(0)).end(body);
  });
}
