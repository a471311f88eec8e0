export const OPERATOR_TOKEN = 'operator-of-the-tests';

/** What a test says of a node that it starts. */
export interface NodeOptions {
  /** Keys of node.config.json. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Variables of its environment; one that is `undefined` is left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Polls at midnight on the day of the month that was yesterday: weeks away. To find a day that comes once a year takes cron 0.1 s at each start. */
const WEEKS_AWAY = `0 0 ${new Date(Date.now() - 86_400_000).getDate()} * *`;

/**
 * The configuration of a node: it polls when the operator asks and at no other time, listens where the system says, and has no
 * connection service, unless the test says otherwise.
 */
export function configOf(dataDir: string, { config = {} }: NodeOptions): Record<string, unknown> {
  return {
    ...{ dataDir, listen: { port: 0 }, connection: { enabled: false }, ...config },
    sync: { schedule: WEEKS_AWAY, ...(config.sync as object) },
  };
}

/** Its environment; the operator has a token. */
export const envOf = ({ env }: NodeOptions) => ({ REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env });
